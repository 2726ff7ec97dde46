package import Core

/// What there is to do next, and when: a look at the first rows of every kind, which costs no lock and no write.
package struct JobSchedule: Sendable, Hashable {
    package struct Head: Sendable, Hashable {
        package let kind: String
        package let runAt: Timestamp
        package let id: String

        package init(kind: String, runAt: Timestamp, id: String) {
            self.kind = kind
            self.runAt = runAt
            self.id = id
        }
    }

    /// The first of each kind, also those whose time has not come; of each as many as there were places.
    package let heads: [Head]
    /// When the first lease runs out.
    package let firstExpiry: Timestamp?

    package init(heads: [Head], firstExpiry: Timestamp?) {
        self.heads = heads.sorted { ($0.runAt, $0.id) < ($1.runAt, $1.id) }
        self.firstExpiry = firstExpiry
    }

    /// When there will be something to do; `nil` when nothing is known of.
    package var next: Timestamp? { [heads.first?.runAt, firstExpiry].compactMap { $0 }.min() }

    /// Of which kinds the first `room` jobs are that are due at `now`: the kind whose turn comes first stands first.
    package func shares(room: Int, now: Timestamp) -> [JobShare] {
        var shares: [JobShare] = []
        for head in heads.prefix(room) where head.runAt <= now {
            if let index = shares.firstIndex(where: { $0.kind == head.kind }) {
                shares[index].count += 1
            } else {
                shares.append(JobShare(kind: head.kind, count: 1))
            }
        }
        return shares
    }
}

package struct JobShare: Sendable, Hashable {
    package let kind: String
    package var count: Int

    package init(kind: String, count: Int) {
        self.kind = kind
        self.count = count
    }
}
