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

/// `GET /v0/capsules/{id}`
struct ReadCapsule: Sendable {
    let store: CapsuleStore
    let presenter: CapsulePresenter

    func handle(_ input: CapsulePath, _ context: WebContext) async throws -> Capsule {
        guard let (capsule, transcript) = try await store.whole(input.id, owner: context.requireViewer().accountID) else {
            throw Problem.noSuchCapsule
        }
        return presenter.capsule(capsule, transcript)
    }
}

/// `GET /v0/capsules/{id}/transcription`
struct ReadTranscription: Sendable {
    let store: CapsuleStore
    let presenter: CapsulePresenter

    func handle(_ input: CapsulePath, _ context: WebContext) async throws -> CapsuleTranscription {
        guard let (capsule, transcript) = try await store.whole(input.id, owner: context.requireViewer().accountID) else {
            throw Problem.noSuchCapsule
        }
        return presenter.transcription(capsule, transcript)
    }
}

/// `DELETE /v0/capsules/{id}`: rows go now, the sound's bytes with the reaper's next round.
struct DeleteCapsule: Sendable {
    let store: CapsuleStore

    func handle(_ input: CapsulePath, _ context: WebContext) async throws -> Empty {
        guard try await store.delete(input.id, owner: context.requireViewer().accountID) else { throw Problem.noSuchCapsule }
        return Empty()
    }
}
