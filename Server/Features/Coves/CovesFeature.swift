package import Accounts
package import Database
package import FeatureKit
package import Jobs
import KeepsakeWire
package import Media
package import People
package import ServiceLifecycle
package import Web

/// Coves (surface 1): groups with members, invitations, events and a calendar. Each folder is one part.
package struct CovesFeature: Feature {
    let store: CoveStore
    let events: Events
    private let parts: [any FeaturePart]

    package init(_ context: FeatureContext, accounts: AccountsFeature, people: PeopleFeature, library: MediaLibrary) {
        let announcements = Announcements(context)
        let removal = InviteRemoval(accounts: accounts, library: library)
        events = Events(context, accounts: accounts, library: library, announcer: announcements.announcer)
        let members = Members(
            context, accounts: accounts, library: library, announcer: announcements.announcer, uses: [removal.use, events.use])
        store = members.store
        parts = [
            members,
            Invitations(
                context, accounts: accounts, library: library, members: members.store, removal: removal, reader: people.numbers,
                budget: people.numberBudget, notices: people.notices),
            announcements,
            Recommendations(context, library: library),
            events,
            CoveCalendar(context, accounts: accounts, library: library),
        ]
    }

    /// The types of the parts, in the order in which their migrations first run; `parts` has the same order.
    private static var partTypes: [any CovePart.Type] {
        [Members.self, Invitations.self, Announcements.self, Recommendations.self, Events.self, CoveCalendar.self]
    }

    package static var migrations: [Migration] { partTypes.flatMap { $0.migrations } }
    /// A user may have replaced the secret link of a calendar after the backup, so a restore must not bring back the old link.
    package static var revocableTables: [String] { ["cove_calendar_link"] }
    package static var personalTables: [PersonalTable] { partTypes.flatMap { $0.personalTables } }
    package static var fileUses: [FileUse] { partTypes.flatMap { $0.fileUses } }
    package static let openAPI = PackageResources.openapi_yaml

    /// The paths of surface 1 have no common prefix, so each one is listed.
    package static var surfaces: [PathSurface] {
        [
            "/create-cove", "/cove", "/user-coves", "/cove-members", "/join-cove", "/leave-cove", "/edit-cove", "/delete-cove",
            "/remove-member", "/cove-role", "/send-invite", "/invites", "/open-invite", "/reject-invite", "/sent-invites", "/cancel-invite",
            "/recommended-friends", "/create-event", "/edit-event", "/delete-event", "/event", "/event-members", "/update-event-rsvp",
            "/remove-event-rsvp", "/cove-events", "/calendar-events", "/upcoming-events", "/calendar-link", "/calendar.ics",
        ].map { PathSurface($0, .coves) }
    }

    package var jobs: [JobHandler] { parts.flatMap(\.jobs) }
    package var services: [any Service] { parts.flatMap(\.services) }

    package func addRoutes(to routes: Routes) {
        for part in parts { part.addRoutes(to: routes) }
    }

    /// Deletes what belongs to a cove before the cove itself: `Members`, the first part, calls the other parts through `CoveUse`.
    package func erase(_ account: String, limit: Int, _ tx: WriteTransaction) throws -> Int {
        try parts.erase(account, limit: limit, tx)
    }

    package func hide(_ account: String, _ reason: HidingReason, _ tx: WriteTransaction) throws {
        for part in parts { try part.hide(account, reason, tx) }
    }

    package var handingSteps: [HandingSteps] {
        let eventStore = events.store
        return [
            HandingSteps(onlyIfCovesAreKept: true) { [store] account, last, tx in
                try store.handSomeCovers(of: account, after: last, tx)
            },
            HandingSteps(onlyIfCovesAreKept: false) { account, _, tx in try eventStore.removeSomeRSVPs(of: account, tx) ? "more" : nil },
            HandingSteps(onlyIfCovesAreKept: false) { account, last, tx in try eventStore.endSome(hostedBy: account, after: last, tx) },
        ]
    }

    package func show(_ account: String, _ tx: WriteTransaction) throws {
        for part in parts { try part.show(account, tx) }
    }
}
