import Accounts
import Core
import Database
import FeatureKit
import KeepsakeWire
import Media
import Web

/// The events of all coves of a person: lists, and a feed for other programs.
struct CoveCalendar: CovePart {
    let store: CalendarStore
    private let library: MediaLibrary
    private let links: SignedLinks
    private let cursors: Cursors
    private let identifiers: Identifiers

    init(_ context: FeatureContext, accounts: AccountsFeature, library: MediaLibrary) {
        store = CalendarStore(database: context.database, accounts: accounts, clock: context.clock)
        self.library = library
        links = context.links
        cursors = context.cursors
        identifiers = context.identifiers
        // An intruder may have made the link, which works without a sign-in.
        accounts.onRecovery { account, tx in
            try CalendarStore.endLink(of: account, tx) ? "The link of your calendar" : nil
        }
    }

    static var migrations: [Migration] { CalendarMigrations.all }

    static var personalTables: [PersonalTable] {
        [
            PersonalTable(
                "cove_calendar_link", owner: .column("account"), order: ["account"],
                columns: [.time("created_at"), .withheld("token_hash"), .withheld("account")], ending: .statement)
        ]
    }

    func addRoutes(to routes: Routes) {
        for (endpoint, isUpcoming) in [(CoveCalendarEndpoints.events, false), (CoveCalendarEndpoints.upcoming, true)] {
            let handler = ListCalendar(
                store: store, presenter: EventPresenter(library: library), cursors: cursors, clock: identifiers.clock,
                isUpcoming: isUpcoming)
            routes.serve(endpoint, handler.handle)
        }
        routes.serve(
            CoveCalendarEndpoints.createLink,
            CreateCalendarLink(store: store, links: links, entropy: identifiers.entropy).handle)
        routes.serve(CoveCalendarEndpoints.deleteLink, DeleteCalendarLink(store: store).handle)
        routes.serve(download: CoveCalendarEndpoints.feed, ServeCalendar(store: store, clock: identifiers.clock).handle)
    }

    func hide(_ account: String, _ reason: HidingReason, _ tx: WriteTransaction) throws { try store.hide(account, reason, tx) }
}
