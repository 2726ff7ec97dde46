import Core
import Database
import KeepsakeWire
import Media
import People
import Web

/// `GET /recommended-friends`
struct ListRecommendedFriends: Sendable {
    let store: RecommendationStore
    let library: MediaLibrary
    let cursors: Cursors

    func handle(_ input: RecommendedFriendsInput, _ context: WebContext) async throws -> RecommendedFriends {
        let account = try context.requireViewer().accountID
        let limit = try PageSize.readUpTo50(input.limit)
        let paging = try await Paging<RecommendationKey>(
            "recommended-friends", of: [account], after: input.cursor, limit: limit, cursors
        ) { id in
            try await store.position(of: id, for: account)
        }
        let page = try await store.people(for: account, paging.request)
        return RecommendedFriends(
            users: page.rows.map { row in
                RecommendedFriend(
                    id: row.card.id, name: row.card.name,
                    profilePhotoUrl: row.card.picture.map { library.sharedLink($0, owner: row.card.id) }, sharedCoveCount: row.shared)
            }, pagination: Pagination(nextCursor: paging.cursor(page.next)))
    }
}
