package import Core
package import Database
internal import Foundation

/// Enqueues jobs inside the transaction that needs them, so that the job exists if and only if its cause was committed.
package struct JobQueue: Sendable {
    private let clock: WallClock
    private let identifiers: Identifiers

    package init(clock: WallClock, identifiers: Identifiers) {
        self.clock = clock
        self.identifiers = identifiers
    }

    /// Enqueues `job`. Runners are woken after the commit.
    ///
    /// - Parameters:
    ///   - key: 1...200 bytes. While a job of that kind and key is waiting, running or parked, no other one is enqueued. A running job may
    ///     have read its data before this change, so it must read again in `complete`, or the key must identify the change.
    ///   - owner: the account whose data the payload contains; `nil` when it contains no account's data.
    ///   - time: the earliest start; default now.
    /// - Returns: the job's id; `nil` when a job with that key exists.
    /// - Throws: `JobError.payloadTooLarge`, `.keyUnusable`.
    @discardableResult
    package func enqueue<J: Job>(
        _ job: J, key: String? = nil, owner: String?, at time: Timestamp? = nil, _ tx: WriteTransaction
    ) throws -> String? {
        precondition((1...JobLimits.kindByteCount).contains(J.kind.utf8.count), "a job's kind has 1 to 100 bytes")
        let payload = try Self.encode(job)
        if let key {
            guard (1...JobLimits.keyByteCount).contains(key.utf8.count), !key.utf8.contains(0) else {
                throw JobError.keyUnusable(kind: J.kind)
            }
        }
        let (id, now) = (identifiers.next(), clock.now)
        let entry = JobEntry(
            id: id, kind: J.kind, key: key, owner: owner, state: .ready, attempt: 0, tries: 0, lost: 0, runAt: time ?? now,
            leaseUntil: nil, worker: nil, error: nil, createdAt: now)
        let count = try tx.run(
            JobEntry.table.insert(entry, with: ["payload": payload]) + " ON CONFLICT (kind, key) WHERE key IS NOT NULL DO NOTHING")
        guard count == 1 else { return nil }
        tx.wake(Wake(JobStore.channel, J.kind))
        return id
    }

    private static func encode<J: Job>(_ job: J) throws -> String {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        let bytes = try encoder.encode(job)
        guard bytes.count <= JobLimits.payloadByteCount else {
            throw JobError.payloadTooLarge(kind: J.kind, byteCount: bytes.count)
        }
        return String(decoding: bytes, as: UTF8.self)
    }

    static func decode<J: Job>(_ type: J.Type, _ payload: String) throws -> J {
        try JSONDecoder().decode(J.self, from: Data(payload.utf8))
    }
}
