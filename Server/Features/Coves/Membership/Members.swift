import Accounts
import Blobs
import Core
import Database
import FeatureKit
import Jobs
import KeepsakeWire
import Logging
import Media
import ServiceLifecycle
import Web

/// The part of the feature with the coves themselves, their members and roles.
struct Members: CovePart {
    let store: CoveStore
    private let presenter: CovePresenter
    private let gate: UploadGate
    private let cursors: Cursors
    private let logger: Logger

    /// - Parameter uses: what the other parts do when a membership or a cove ends.
    init(_ context: FeatureContext, accounts: AccountsFeature, library: MediaLibrary, announcer: CoveAnnouncer, uses: [CoveUse]) {
        store = CoveStore(
            database: context.database, accounts: accounts, library: library, events: context.events, announcer: announcer,
            jobs: context.jobs, identifiers: context.identifiers, uses: uses)
        presenter = CovePresenter(library: library)
        gate = context.gate
        cursors = context.cursors
        logger = context.logger
    }

    static var migrations: [Migration] { CoveMigrations.all }

    static var personalTables: [PersonalTable] {
        [
            PersonalTable(
                "cove", owner: .column("creator"), order: ["created_at", "id"],
                columns: [
                    .plain("id"), .plain("name"), .plain("description"), .plain("location"), .plain("cover"), .plain("joining"),
                    .plain("member_count"), .plain("event_count"), .plain("row_bytes"), .time("created_at"), .time("ended_at"),
                    .withheld("creator"), .withheld("cover_owner"),
                ],
                ending: .batches),
            PersonalTable(
                "cove_member", owner: .column("account"), order: ["joined_at", "cove"],
                columns: [
                    .plain("id"), .plain("cove"), .plain("role"), .flag("is_creator"), .flag("is_acting"), .time("joined_at"),
                    .withheld("account"), .withheld("hidden"),
                ],
                ending: .batches),
            PersonalTable(
                "cove_removal", owner: .column("account"), order: ["cove"],
                columns: [.plain("cove"), .time("removed_at"), .withheld("account")], ending: .statement),
        ]
    }

    /// When a file is deleted from the library, its cove has no cover any more.
    static var fileUses: [FileUse] {
        [FileUse { file, owner, tx in try tx.run(CoveStore.dropCover(file, of: owner)) }]
    }

    var jobs: [JobHandler] {
        [
            // Nobody waits for this series of jobs. Only one runs at a time, so that the other job slots are free for jobs that somebody
            // waits for.
            JobHandler(ForgetCove.self, most: 1) { [store] run in
                try await run.complete { tx in try store.forgetMore(run.payload, tx) }
            },
            // There may be as many of these jobs as the closed account had coves.
            JobHandler(EraseCover.self, most: 1) { [store] run in
                try await store.library.prepareErasing([run.payload.cover], owner: run.payload.owner)
                try await run.complete { tx in try store.library.erase([run.payload.cover], owner: run.payload.owner, tx) }
            },
        ]
    }

    var services: [any Service] {
        [Upkeep("ended coves", every: .hours(1), logger: logger) { [store] in try await store.sweep() }]
    }

    func addRoutes(to routes: Routes) {
        let files: Set = ["coverPhoto"]
        routes.serve(files: files, CoveEndpoints.create, CreateCove(store: store, presenter: presenter, gate: gate).handle)
        routes.serve(CoveEndpoints.read, ReadCove(store: store, presenter: presenter).handle)
        routes.serve(CoveEndpoints.list, ListUserCoves(store: store, presenter: presenter).handle)
        routes.serve(CoveEndpoints.members, ListCoveMembers(store: store, presenter: presenter, cursors: cursors).handle)
        routes.serve(CoveEndpoints.leave, LeaveCove(store: store).handle)
        routes.serve(files: files, CoveEndpoints.edit, EditCove(store: store, presenter: presenter, gate: gate).handle)
        routes.serve(CoveEndpoints.delete, DeleteCove(store: store).handle)
        routes.serve(CoveEndpoints.removeMember, RemoveMember(store: store).handle)
        routes.serve(CoveEndpoints.setRole, SetCoveRole(store: store).handle)
    }

    func erase(_ account: String, limit: Int, _ tx: WriteTransaction) throws -> Int {
        try store.eraseSome(of: account, limit: limit, tx)
    }

    func hide(_ account: String, _ reason: HidingReason, _ tx: WriteTransaction) throws {
        switch reason {
        case .closed(let keepsCoves): try store.close(account, keepsCoves: keepsCoves, tx)
        case .suspended: try store.suspend(account, tx)
        }
    }

    func show(_ account: String, _ tx: WriteTransaction) throws { try store.restore(account, tx) }
}
