import Accounts
import Core
import Database
import FeatureKit
import KeepsakeWire
import Media
import Phone
import Web

/// Finding people by the phone numbers of an address book.
struct Contacts: PeoplePart {
    let store: ContactStore
    private let library: MediaLibrary
    private let reader: NumberReader
    /// Deletes the numbers that were looked up on earlier days.
    let upkeep: Upkeep

    init(_ context: FeatureContext, accounts: AccountsFeature, library: MediaLibrary, reader: NumberReader) {
        store = ContactStore(
            database: context.database, accounts: accounts, clock: context.clock, limit: context.settings[Self.dailyNumbers])
        self.library = library
        self.reader = reader
        upkeep = Upkeep("contact look-ups", every: .hours(1), logger: context.logger) { [store] in try await store.sweep() }
    }

    /// How many different numbers a user may look up in a day. The limit keeps anybody from trying all possible numbers.
    static let dailyNumbers = FeatureSetting(
        "contact_numbers", default: 20_000, in: 1...100_000,
        help: "Different phone numbers that a user may look up a day, 1…100000. Default: 20000")

    static var migrations: [Migration] { ContactMigrations.all }

    static var personalTables: [PersonalTable] {
        [
            PersonalTable(
                "contact_lookup", owner: .column("account"), order: ["account"],
                columns: [.plain("day"), .withheld("numbers"), .withheld("account")], ending: .statement)
        ]
    }

    static var surfaces: [PathSurface] { [PathSurface("/contacts", .coves)] }

    func addRoutes(to routes: Routes) {
        routes.serve(PeopleEndpoints.contacts, FindContacts(store: store, library: library, reader: reader).handle)
    }
}
