import Accounts
import Blobs
import Core
import Database
import FeatureKit
import KeepsakeWire
import Logging
import Media
import ServiceLifecycle
import Web

/// The events of coves, and the RSVPs to them.
struct Events: CovePart {
    let store: EventStore
    private let gate: UploadGate
    private let library: MediaLibrary
    private let cursors: Cursors
    private let identifiers: Identifiers
    private let logger: Logger

    init(_ context: FeatureContext, accounts: AccountsFeature, library: MediaLibrary, announcer: CoveAnnouncer) {
        store = EventStore(
            database: context.database, accounts: accounts, library: library, events: context.events, announcer: announcer,
            identifiers: context.identifiers)
        gate = context.gate
        self.library = library
        cursors = context.cursors
        identifiers = context.identifiers
        logger = context.logger
    }

    static var migrations: [Migration] { EventMigrations.all }

    static var personalTables: [PersonalTable] {
        [
            PersonalTable(
                "cove_event", owner: .column("host"), order: ["id"],
                columns: [
                    .plain("id"), .plain("cove"), .plain("name"), .plain("description"), .time("date"), .plain("location"),
                    .plain("cover"), .plain("going_count"), .time("created_at"), .time("changed_at"), .time("ended_at"),
                    .plain("row_bytes"), .withheld("cover_owner"), .withheld("revision"), .withheld("host"),
                ],
                ending: .batches),
            PersonalTable(
                "cove_rsvp", owner: .column("account"), order: ["cove", "event"],
                columns: [
                    .plain("id"), .plain("event"), .plain("cove"), .plain("status"), .time("created_at"), .withheld("hidden"),
                    .withheld("account"),
                ],
                ending: .batches),
            PersonalTable(
                "cove_calendar", owner: .row("cove", of: "cove", key: "id", owner: "creator"), order: ["cove"],
                columns: [.plain("cove"), .plain("version")], ending: .cascade(from: "cove")),
        ]
    }

    /// When a file is deleted from the library, events drop their reference to it.
    static var fileUses: [FileUse] {
        [FileUse { file, owner, tx in try tx.run(EventStore.dropCover(file, of: owner)) }]
    }

    /// What this part does when a membership or a cove ends.
    var use: CoveUse {
        CoveUse(
            memberLeft: { [store] account, coves, tx in try store.memberLeft(coves: coves, account: account, tx) },
            changedCoves: { account, tx in try EventStore.hostedCounts(of: account, tx).map(\.cove) },
            answered: (CoveEvent.kind, EventStore.hosts(ofEventsIn:)),
            removeSome: { [store] cove, limit, tx in try store.removeSome(ofCove: cove, limit: limit, tx) })
    }

    var services: [any Service] {
        [
            Upkeep("cove events", every: .hours(1), logger: logger) { [store] in
                while try await store.removeExpired(limit: 500) > 0 { try Task.checkCancellation() }
            }
        ]
    }

    func addRoutes(to routes: Routes) {
        let presenter = EventPresenter(library: library)
        routes.serve(
            files: EventRules.coverMembers, CoveEventEndpoints.create,
            CreateEvent(store: store, gate: gate, library: library, identifiers: identifiers).handle)
        routes.serve(
            files: EventRules.coverMembers, CoveEventEndpoints.edit, EditEvent(store: store, gate: gate, library: library).handle)
        routes.serve(CoveEventEndpoints.delete, DeleteEvent(store: store).handle)
        routes.serve(CoveEventEndpoints.read, ReadEvent(store: store, presenter: presenter).handle)
        routes.serve(CoveEventEndpoints.guests, ListGuests(store: store, presenter: presenter, cursors: cursors).handle)
        routes.serve(CoveEventEndpoints.updateRSVP, UpdateRSVP(store: store).handle)
        routes.serve(CoveEventEndpoints.removeRSVP, RemoveRSVP(store: store).handle)
        routes.serve(CoveEventEndpoints.list, ListEvents(store: store, presenter: presenter, cursors: cursors).handle)
    }

    func erase(_ account: String, limit: Int, _ tx: WriteTransaction) throws -> Int {
        try store.eraseSome(of: account, limit: limit, tx)
    }

    func hide(_ account: String, _ reason: HidingReason, _ tx: WriteTransaction) throws { try store.hide(account, reason, tx) }

    func show(_ account: String, _ tx: WriteTransaction) throws { try store.show(account, tx) }
}
