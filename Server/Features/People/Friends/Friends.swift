import Core
import Database
import FeatureKit
import Jobs
import KeepsakeWire
import Media
import Web

/// Friends and friend requests.
struct Friends: PeoplePart {
    let store: FriendStore
    private let presenter: FriendPresenter
    private let cursors: Cursors
    /// Deletes requests that were resolved more than 90 days ago.
    let upkeep: Upkeep

    init(_ context: FeatureContext, library: MediaLibrary, notices: NoticeStore) {
        store = FriendStore(
            database: context.database, library: library, events: context.events, notices: notices, jobs: context.jobs,
            identifiers: context.identifiers)
        presenter = FriendPresenter(library: library)
        cursors = context.cursors
        upkeep = Upkeep("friend requests", every: .hours(1), logger: context.logger, store.sweep)
    }

    static var migrations: [Migration] { FriendMigrations.all }

    static var personalTables: [PersonalTable] {
        [
            PersonalTable(
                "friendship", owner: .column("account"), order: ["created_at", "id"],
                columns: [.plain("id"), .plain("friend"), .time("created_at"), .withheld("account")], ending: .batches),
            // The export contains the requests that the account sent. Nobody is notified of a rejection, so the export does not reveal it
            // either.
            PersonalTable(
                "friend_request", owner: .column("sender"), order: ["recipient"],
                columns: [
                    .plain("id"), .plain("recipient"), .time("created_at"), .withheld("status"), .withheld("resolved_at"),
                    .withheld("friendship"), .withheld("sender"),
                ],
                ending: .batches),
        ]
    }

    static var surfaces: [PathSurface] {
        [
            "/send-friend-request", "/friend-request", "/resolve-friend-request", "/cancel-friend-request", "/remove-friend", "/friends",
            "/friend-requests", "/sent-friend-requests",
        ].map { PathSurface($0, .coves) }
    }

    var jobs: [JobHandler] { [JobHandler(NotifyRecipients.self, store.notify)] }

    func addRoutes(to routes: Routes) {
        routes.serve(FriendEndpoints.send, SendFriendRequest(store: store, presenter: presenter).handle)
        routes.serve(FriendEndpoints.sendSeveral, SendFriendRequests(store: store).handle)
        routes.serve(FriendEndpoints.resolve, ResolveFriendRequest(store: store, presenter: presenter).handle)
        routes.serve(FriendEndpoints.answer, AnswerFriendRequest(store: store).handle)
        routes.serve(FriendEndpoints.cancel, CancelFriendRequest(store: store).handle)
        routes.serve(FriendEndpoints.remove, RemoveFriend(store: store).handle)
        let lists = ListFriends(store: store, presenter: presenter, cursors: cursors)
        routes.serve(FriendEndpoints.friends, lists.friends)
        routes.serve(FriendEndpoints.requests, lists.requests)
        routes.serve(FriendEndpoints.sentRequests, lists.sentRequests)
    }

    func erase(_ account: String, limit: Int, _ tx: WriteTransaction) throws -> Int {
        try store.eraseSome(of: account, limit: limit, tx)
    }

    func hide(_ account: String, _ reason: HidingReason, _ tx: WriteTransaction) throws { try store.hide(account, tx) }

    func show(_ account: String, _ tx: WriteTransaction) throws { try store.show(account, tx) }
}
