import Accounts
import Core
import Database
import FeatureKit
import KeepsakeWire
import Logging
import Media
import People
import Phone
import ServiceLifecycle
import Web

/// The part of the feature for invitations, and for joining a cove, which may need an invitation.
struct Invitations: CovePart {
    private let store: InviteStore
    private let presenter: CovePresenter
    private let cursors: Cursors
    private let reader: NumberReader
    private let budget: NumberBudget
    private let logger: Logger

    /// - Parameter removal: the object whose `use` was passed to `Members`.
    init(
        _ context: FeatureContext, accounts: AccountsFeature, library: MediaLibrary, members: CoveStore, removal: InviteRemoval,
        reader: NumberReader, budget: NumberBudget, notices: NoticeStore
    ) {
        store = InviteStore(
            database: context.database, accounts: accounts, library: library, notices: notices, identifiers: context.identifiers,
            members: members, removal: removal)
        presenter = CovePresenter(library: library)
        cursors = context.cursors
        self.reader = reader
        self.budget = budget
        logger = context.logger
    }

    static var migrations: [Migration] { InviteMigrations.all }

    static var personalTables: [PersonalTable] {
        [
            PersonalTable(
                "cove_invite", owner: .column("sender"), order: ["created_at", "id"],
                columns: [
                    .plain("id"), .plain("cove"), .plain("phone"), .plain("message"), .flag("is_opened"), .time("created_at"),
                    .time("expires_at"), .plain("row_bytes"), .withheld("sender"),
                ],
                ending: .batches)
        ]
    }

    var services: [any Service] {
        [Upkeep("expired invitations", every: .hours(1), logger: logger) { [store] in try await store.sweep() }]
    }

    func addRoutes(to routes: Routes) {
        routes.serve(CoveEndpoints.join, JoinCove(store: store).handle)
        routes.serve(CoveInvitationEndpoints.send, SendInvite(store: store, reader: reader, budget: budget).handle)
        routes.serve(CoveInvitationEndpoints.list, ListInvites(store: store, presenter: presenter).handle)
        routes.serve(CoveInvitationEndpoints.open, OpenInvite(store: store, presenter: presenter).handle)
        routes.serve(CoveInvitationEndpoints.reject, RejectInvite(store: store).handle)
        routes.serve(CoveInvitationEndpoints.sent, ListSentInvites(store: store, cursors: cursors).handle)
        routes.serve(CoveInvitationEndpoints.cancel, CancelInvite(store: store).handle)
    }

    func erase(_ account: String, limit: Int, _ tx: WriteTransaction) throws -> Int {
        try store.eraseSome(of: account, limit: limit, tx)
    }

    func hide(_ account: String, _ reason: HidingReason, _ tx: WriteTransaction) throws {
        if case .closed = reason { try store.removal.close(account, tx) }
    }
}
