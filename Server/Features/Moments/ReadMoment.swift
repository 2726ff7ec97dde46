import Core
import KeepsakeWire
import Web

/// `GET /api/users/user/{userId}/moods|memories|events/{id}`
struct ReadMoment<Output: Sendable>: Sendable {
    let store: MomentStore
    let kind: Moment.Kind
    let render: @Sendable (Moment) -> Output

    func handle(_ input: EntryPath, _ context: WebContext) async throws -> Output {
        guard let moment = try await store.moment(input.id, kind, owner: context.requireViewer().accountID) else {
            throw Problem.noSuch(kind)
        }
        return render(moment)
    }
}

extension Problem {
    /// The error for a moment that does not exist, and for one that belongs to another account.
    static func noSuch(_ kind: Moment.Kind) -> Problem { Problem(.notFound, "There is no such \(kind.rawValue).") }
}
