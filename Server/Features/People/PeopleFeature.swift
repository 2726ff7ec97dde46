package import Accounts
package import Database
package import FeatureKit
package import Jobs
package import Media
package import Phone
package import ServiceLifecycle
package import Web

/// People (surface 1): profiles, photos, contacts, friends, blocks and reports. Each folder is one part.
package struct PeopleFeature: Feature {
    private let parts: [any FeaturePart]
    let profiles: Profiles
    let contacts: Contacts
    let friends: Friends
    private let noticing: Notices
    /// The reports, for the commands of `keepsake reports`.
    package let reports: Reports
    /// Parses the phone numbers in requests. Coves use it too, so that all such requests wait for turns at the same reader.
    package let numbers = NumberReader()
    /// Limits how many phone numbers an account can look up a day.
    package var numberBudget: NumberBudget { NumberBudget(store: contacts.store) }
    /// Notifies people of friend requests, and also of invitations to coves: both count against the same limits.
    package var notices: NoticeStore { noticing.store }

    package init(_ context: FeatureContext, accounts: AccountsFeature, library: MediaLibrary, coves: any CoveLookup) {
        profiles = Profiles(context, accounts: accounts, library: library, coves: coves)
        contacts = Contacts(context, accounts: accounts, library: library, reader: numbers)
        noticing = Notices(context)
        friends = Friends(context, library: library, notices: noticing.store)
        reports = Reports(context, coves: coves)
        parts = [
            profiles,
            Photos(context, library: library),
            contacts,
            friends,
            Blocks(context, friends: friends),
            reports,
            noticing,
        ]
    }

    /// The types of `parts`, in the same order. Their migrations run in this order.
    private static var partTypes: [any PeoplePart.Type] {
        [Profiles.self, Photos.self, Contacts.self, Friends.self, Blocks.self, Reports.self, Notices.self]
    }

    package static var migrations: [Migration] { DirectoryMigrations.all + partTypes.flatMap { $0.migrations } }
    package static var personalTables: [PersonalTable] { partTypes.flatMap { $0.personalTables } }
    package static let openAPI = PackageResources.openapi_yaml
    package static var surfaces: [PathSurface] { partTypes.flatMap { $0.surfaces } }
    package static var settings: [any FeatureSettingReader] { [Contacts.dailyNumbers] }

    package var jobs: [JobHandler] { parts.flatMap(\.jobs) }
    package var services: [any Service] { [contacts.upkeep, friends.upkeep, noticing.upkeep] }

    package func addRoutes(to routes: Routes) {
        for part in parts { part.addRoutes(to: routes) }
    }

    package func erase(_ account: String, limit: Int, _ tx: WriteTransaction) throws -> Int {
        try parts.erase(account, limit: limit, tx)
    }

    /// Profiles come last: they set `profile.hidden`, which the other parts read.
    package func hide(_ account: String, _ reason: HidingReason, _ tx: WriteTransaction) throws {
        for part in parts.reversed() { try part.hide(account, reason, tx) }
    }

    package func show(_ account: String, _ tx: WriteTransaction) throws {
        for part in parts.reversed() { try part.show(account, tx) }
    }
}
