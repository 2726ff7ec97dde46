import Core
import KeepsakeWire
import Search
import Web

/// `PATCH /api/users/user/{userId}/moods|memories|events/{id}`: changes an entry. Absent fields are unchanged; `null` clears a field. The
/// files do not change: a client deletes a file through the library.
struct UpdateMoment<Input: MomentUpdate, Output: Sendable>: Sendable {
    let store: MomentStore
    let kind: Moment.Kind
    let render: @Sendable (Moment) -> Output

    func check(_ parameters: [String: String], _ context: WebContext) async throws {
        guard try await store.moment(parameters["id"] ?? "", kind, owner: context.requireViewer().accountID) != nil else {
            throw Problem.noSuch(kind)
        }
    }

    func handle(_ input: Input, _ context: WebContext) async throws -> Output {
        let owner = try context.requireViewer().accountID
        let change = try input.change
        let moment = try await SearchIndex.splitting(in: context) { split in
            try await store.update(input.id, kind, owner: owner, change, split: split)
        }
        guard let moment else { throw Problem.noSuch(kind) }
        return render(moment)
    }
}

/// The input of an update of any kind of moment.
protocol MomentUpdate: Sendable {
    var id: String { get }
    var change: MomentChange { get throws }
}

extension UpdateMoodInput: MomentUpdate { var change: MomentChange { get throws { try MomentChange(self) } } }
extension UpdateMemoryInput: MomentUpdate { var change: MomentChange { get throws { try MomentChange(self) } } }
extension UpdateEventInput: MomentUpdate { var change: MomentChange { get throws { try MomentChange(self) } } }
