import Core
import FeatureKit
import KeepsakeWire
import Web

/// `GET /v0/capsules`: the newest first.
struct ListCapsules: Sendable {
    let store: CapsuleStore
    let presenter: CapsulePresenter
    let cursors: Cursors

    func handle(_ input: ListCapsulesInput, _ context: WebContext) async throws -> CapsuleList {
        let owner = try context.requireViewer().accountID
        let limit = try PageSize.read(input.limit)
        let position = try input.cursor.map { try EntryKind.Position($0, cursors, purpose: Self.purpose, scope: [owner]) }
        let (capsules, hasMore) = try await store.page(owner: owner, after: position, limit: limit)
        let next = hasMore ? capsules.last.map { EntryKind.Position(at: $0.0.createdAt, id: $0.0.id) } : nil
        return CapsuleList(
            capsules: capsules.map(presenter.capsule), nextCursor: next?.cursor(cursors, purpose: Self.purpose, scope: [owner]))
    }

    private static let purpose = "capsules"
}
