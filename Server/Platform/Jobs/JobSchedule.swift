package import Core

/// The next jobs of every kind and when they are due. Reading it takes no lock and no write.
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

    /// The first jobs of each kind, including those not due yet; for each kind at most as many as could start.
    package let heads: [Head]
    /// When the first lease expires.
    package let firstExpiry: Timestamp?

    package init(heads: [Head], firstExpiry: Timestamp?) {
        self.heads = heads.sorted { ($0.runAt, $0.id) < ($1.runAt, $1.id) }
        self.firstExpiry = firstExpiry
    }

    /// When the next job is due or the next lease expires; `nil` when there is neither.
    package var next: Timestamp? { [heads.first?.runAt, firstExpiry].compactMap { $0 }.min() }

    /// How many of the first `room` due jobs belong to each kind, ordered by each kind's first job.
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
