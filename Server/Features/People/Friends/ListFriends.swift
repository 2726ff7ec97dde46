import Core
import Database
import KeepsakeWire
import Web

/// `GET /friends`, `GET /friend-requests` and `GET /sent-friend-requests`: three lists, each with the newest row first.
struct ListFriends: Sendable {
    let store: FriendStore
    let presenter: FriendPresenter
    let cursors: Cursors

    func friends(_ input: ListFriendsInput, _ context: WebContext) async throws -> FriendList {
        let (rows, pagination) = try await page(.friends, input, context)
        return FriendList(friends: rows.map(presenter.friend), pagination: pagination)
    }

    func requests(_ input: ListFriendsInput, _ context: WebContext) async throws -> FriendRequestList {
        let (rows, pagination) = try await page(.requests, input, context)
        return FriendRequestList(requests: rows.map(presenter.received), pagination: pagination)
    }

    func sentRequests(_ input: ListFriendsInput, _ context: WebContext) async throws -> SentFriendRequestList {
        let (rows, pagination) = try await page(.sent, input, context)
        return SentFriendRequestList(requests: rows.map(presenter.sent), pagination: pagination)
    }

    private func page(
        _ list: FriendStore.List, _ input: ListFriendsInput, _ context: WebContext
    ) async throws -> ([FriendRow], Pagination) {
        let viewer = try context.requireViewer().accountID
        let limit = try PageSize.readUpTo50(input.limit)
        let paging = try await Paging<TimeKey>(list.rawValue, of: [viewer], after: input.cursor, limit: limit, cursors) { id in
            try await store.key(of: id, list, of: viewer)
        }
        let page = try await store.page(list, of: viewer, paging.request)
        return (page.rows, Pagination(nextCursor: paging.cursor(page.next)))
    }
}
