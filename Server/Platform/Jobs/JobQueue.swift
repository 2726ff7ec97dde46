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
    ///   - turn: the key by which the job takes turns, in addition to its account.
    ///   - time: the earliest start; default now.
    /// - Returns: the job's id; `nil` when a job with that key exists.
    /// - Throws: `JobError.payloadTooLarge`, `.keyUnusable`.
    @discardableResult
    package func enqueue<J: Job>(
        _ job: J, key: String? = nil, owner: String?, turn: JobTurnKey? = nil, at time: Timestamp? = nil, _ tx: WriteTransaction
    ) throws -> String? {
        Self.checkKind(of: J.self)
        let payload = try Self.encode(job)
        if let key {
            guard (1...JobLimits.keyByteCount).contains(key.utf8.count), !key.utf8.contains(0) else {
                throw JobError.keyUnusable(kind: J.kind)
            }
        }
        let (id, now) = (identifiers.next(), clock.now)
        let entry = JobEntry(
            id: id, kind: J.kind, key: key, owner: owner, turn: turn, state: .ready, attempt: 0, tries: 0, lost: 0, runAt: time ?? now,
            leaseUntil: nil, worker: nil, error: nil, createdAt: now)
        let count = try tx.run(
            JobEntry.table.insert(entry, with: ["payload": payload]) + " ON CONFLICT (kind, key) WHERE key IS NOT NULL DO NOTHING")
        guard count == 1 else { return nil }
        tx.wake(Wake(JobStore.channel, J.kind))
        return id
    }

    /// Enqueues many jobs of one kind without keys, in few statements, none of which costs a round trip.
    ///
    /// - Parameter jobs: each with the account whose data its payload contains.
    /// - Throws: `JobError.payloadTooLarge`.
    package func enqueue<J: Job>(all jobs: [(job: J, owner: String?)], _ tx: WriteTransaction) throws {
        guard !jobs.isEmpty else { return }
        Self.checkKind(of: J.self)
        let encoder = JSONEncoder.withSortedKeys()
        let now = clock.now
        var rows: [(entry: JobEntry, payload: String)] = []
        for (job, owner) in jobs {
            let entry = JobEntry(
                id: identifiers.next(), kind: J.kind, key: nil, owner: owner, turn: nil, state: .ready, attempt: 0, tries: 0, lost: 0,
                runAt: now, leaseUntil: nil, worker: nil, error: nil, createdAt: now)
            rows.append((entry, try Self.encode(job, encoder)))
        }
        // With these sizes only, there are few different statements, and an engine keeps each one prepared.
        var rest = rows[...]
        for size in [64, 16, 4, 1] {
            while rest.count >= size {
                let part = rest.prefix(size)
                try tx.send(JobEntry.table.insert(part.map(\.entry), with: "payload", part.map(\.payload)))
                rest = rest.dropFirst(size)
            }
        }
        tx.wake(Wake(JobStore.channel, J.kind))
    }

    private static func checkKind<J: Job>(of job: J.Type) {
        precondition(
            (1...JobLimits.kindByteCount).contains(J.kind.utf8.count), "a job's kind has 1 to \(JobLimits.kindByteCount) bytes")
    }

    private static func encode<J: Job>(_ job: J, _ encoder: JSONEncoder = .withSortedKeys()) throws -> String {
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
