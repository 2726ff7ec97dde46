import Core
import FeatureKit
import KeepsakeWire
import Web

/// `GET /api/users/user/{userId}/multimedia`: the newest first, by category, group or tag.
struct ListMedia: Sendable {
    let store: MediaStore
    let presenter: MediaPresenter
    let cursors: Cursors

    func handle(_ input: ListEntriesInput, _ context: WebContext) async throws -> MediaListResponse {
        let owner = try context.requireViewer().accountID
        let limit = try PageSize.read(input.limit)
        let filter = MediaStore.Filter(
            category: try TextRules.optionalLine(input.category, field: "category", max: 64),
            groupID: try MediaRules.groupID(input.groupId),
            tag: try TextRules.optionalLine(input.tag, field: "tag", max: 64))
        let scope = [owner, filter.category ?? "", filter.groupID ?? "", filter.tag ?? ""]
        let position = try input.cursor.map { try EntryKind.Position($0, cursors, purpose: Self.purpose, scope: scope) }
        // One more than asked for says whether there is another page.
        let assets = try await store.list(owner: owner, filter, after: position, limit: limit + 1)
        let page = assets.prefix(limit)
        let next = assets.count > limit ? page.last.map { EntryKind.Position(at: $0.createdAt, id: $0.id) } : nil
        return MediaListResponse(
            files: page.map(presenter.item),
            pagination: Pagination(nextCursor: next?.cursor(cursors, purpose: Self.purpose, scope: scope)))
    }

    private static let purpose = "media"
}
