package import Core

/// The next jobs of every kind and when they are due. Reading it takes no lock and no write.
package struct JobSchedule: Sendable, Hashable {
    package struct Head: Sendable, Hashable {
        package let group: JobGroup
        package let runAt: Timestamp
        /// The job's id. Empty for the first job of an account or turn key that `JobLeases.others` found, because its statements return no
        /// ids.
        package let id: String

        package var kind: String { group.kind }
        package var owner: String? { group.owner }
        package var turn: JobTurnKey? { group.turn }

        package init(kind: String, owner: String? = nil, turn: JobTurnKey? = nil, runAt: Timestamp, id: String) {
            group = JobGroup(kind: kind, owner: owner, turn: turn)
            self.runAt = runAt
            self.id = id
        }
    }

    /// The first jobs of each kind, including those not due yet. If very many jobs of a kind are due, it includes the first jobs of some
    /// further accounts or turn keys.
    package let heads: [Head]
    /// When the first lease expires.
    package let firstExpiry: Timestamp?
    /// For each kind of which very many jobs are due, the last account or turn key that was read; empty when there are no further ones.
    package let cursors: [String: String]

    package init(heads: [Head], firstExpiry: Timestamp?, cursors: [String: String] = [:]) {
        self.heads = heads.sorted { ($0.runAt, $0.id) < ($1.runAt, $1.id) }
        self.firstExpiry = firstExpiry
        self.cursors = cursors
    }

    /// When the next job is due or the next lease expires; `nil` when there is neither.
    package var next: Timestamp? { [heads.first?.runAt, firstExpiry].compactMap { $0 }.min() }
}
