import Core
import FeatureKit
import KeepsakeWire
import Media
import Web

/// `GET /api/users/user/{userId}/moods|memories|events`: the newest first, by category, group or tag.
struct ListMoments<Output: Sendable>: Sendable {
    let store: MomentStore
    let kind: Moment.Kind
    let cursors: Cursors
    let render: @Sendable (_ page: [Moment], _ owner: String, Pagination) -> Output

    func handle(_ input: ListEntriesInput, _ context: WebContext) async throws -> Output {
        let owner = try context.requireViewer().accountID
        let limit = try PageSize.read(input.limit)
        let filter = MomentStore.Filter(
            category: try TextRules.optionalLine(input.category, field: "category", max: 64),
            groupID: try MediaRules.groupID(input.groupId),
            tag: try TextRules.optionalLine(input.tag, field: "tag", max: 64))
        let scope = [owner, kind.rawValue, filter.category ?? "", filter.groupID ?? "", filter.tag ?? ""]
        let position = try input.cursor.map { try EntryKind.Position($0, cursors, purpose: Self.purpose, scope: scope) }
        // One more than asked for says whether there is another page.
        var page = try await store.list(kind, owner: owner, filter, after: position, limit: limit + 1)
        guard page.count > limit else { return render(page, owner, Pagination(nextCursor: nil)) }
        page.removeLast(page.count - limit)
        let next = page.last.map { EntryKind.Position(at: $0.createdAt, id: $0.id) }
        return render(page, owner, Pagination(nextCursor: next?.cursor(cursors, purpose: Self.purpose, scope: scope)))
    }

    private static var purpose: String { "moments" }
}
