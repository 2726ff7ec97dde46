package import Core

/// The next jobs of every kind and when they are due. Reading it takes no lock and no write.
package struct JobSchedule: Sendable, Hashable {
    package struct Head: Sendable, Hashable {
        package let kind: String
        package let owner: String?
        package let runAt: Timestamp
        /// Empty for the first job of an account that was found by its account.
        package let id: String

        package init(kind: String, owner: String? = nil, runAt: Timestamp, id: String) {
            self.kind = kind
            self.owner = owner
            self.runAt = runAt
            self.id = id
        }
    }

    /// The first jobs of each kind, including those not due yet. If very many jobs of a kind are due, also the first jobs of some more
    /// accounts.
    package let heads: [Head]
    /// When the first lease expires.
    package let firstExpiry: Timestamp?
    /// For each kind of which very many jobs are due, the last account that was looked at; empty after the last of all.
    package let cursors: [String: String]

    package init(heads: [Head], firstExpiry: Timestamp?, cursors: [String: String] = [:]) {
        self.heads = heads.sorted { ($0.runAt, $0.id) < ($1.runAt, $1.id) }
        self.firstExpiry = firstExpiry
        self.cursors = cursors
    }

    /// When the next job is due or the next lease expires; `nil` when there is neither.
    package var next: Timestamp? { [heads.first?.runAt, firstExpiry].compactMap { $0 }.min() }
}
