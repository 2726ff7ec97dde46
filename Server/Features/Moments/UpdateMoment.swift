import Core
import Web

/// `PATCH /api/users/user/{userId}/moods|memories|events/{id}`: absent fields stay, `null` clears. Its files stay as they are: one is
/// taken away through the library.
struct UpdateMoment: Sendable {
    let store: MomentStore

    func check(_ kind: Moment.Kind) -> Routes.BodyCheck {
        { [store] parameters, context in
            guard try await store.moment(parameters["id"] ?? "", kind, owner: context.requireViewer().accountID) != nil else {
                throw Problem.noSuch(kind)
            }
        }
    }

    func handle(_ kind: Moment.Kind, _ id: String, _ change: MomentChange, _ context: WebContext) async throws -> Moment {
        guard let moment = try await store.update(id, kind, owner: context.requireViewer().accountID, change) else {
            throw Problem.noSuch(kind)
        }
        return moment
    }
}
