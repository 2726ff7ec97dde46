import Core
import Web
import Wire

/// `GET /api/users/user/{userId}/multimedia`: the newest first, by category, group or tag.
struct ListMedia: Sendable {
    let store: MediaStore
    let presenter: MediaPresenter
    let cursors: Cursors

    func handle(_ input: ListEntriesInput, _ context: WebContext) async throws -> MediaListResponse {
        let owner = try context.requireViewer().accountID
        let limit = try MediaRules.limit(input.limit)
        let filter = MediaStore.Filter(
            category: try TextRules.optionalLine(input.category, field: "category", max: 64),
            groupID: try MediaRules.groupID(input.groupId),
            tag: try TextRules.optionalLine(input.tag, field: "tag", max: 64))
        let scope = [owner, filter.category ?? "", filter.groupID ?? "", filter.tag ?? ""]
        let position = try input.cursor.map { cursor in
            let key = try cursors.open(cursor, purpose: Self.purpose, scope: scope, count: 2)
            guard let createdAt = Int64(key[0]) else { throw Cursors.unreadable }
            return MediaStore.Position(createdAt: Timestamp(microseconds: createdAt), id: key[1])
        }
        // One more than asked for says whether there is another page.
        let assets = try await store.list(owner: owner, filter, after: position, limit: limit + 1)
        let page = assets.prefix(limit)
        let next = assets.count > limit ? page.last : nil
        return MediaListResponse(
            files: page.map(presenter.item),
            pagination: Pagination(
                nextCursor: next.map { cursors.make([String($0.createdAt.microseconds), $0.id], purpose: Self.purpose, scope: scope) }))
    }

    private static let purpose = "media"
}
