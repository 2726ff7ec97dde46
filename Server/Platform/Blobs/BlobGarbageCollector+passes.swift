package import Core
import Database
import Logging

extension BlobGarbageCollector {
    /// Blobs taken together: a pause, or the end, waits for one such batch at most.
    private static let batchCount = 100

    /// Removes what has been dead for longer than 10 minutes: the bytes, then the row. In that order a crash leaves a row to try again
    /// with, and never bytes nobody knows of.
    /// - Returns: how many.
    @discardableResult
    package func reap(now: Timestamp) async throws -> Int {
        let limit = now - BlobLimits.reaping
        var last = (deadAt: Timestamp(microseconds: .min), key: "")
        var reaped = 0
        while let batch = try await batch({ [last] in try await self.reapBatch(before: limit, after: last) }), let end = batch.last {
            last = end
            reaped += batch.reaped
        }
        return reaped
    }

    private struct ReapedBatch: Sendable {
        let reaped: Int
        /// Where the next batch begins, also past what could not be removed; `nil` at the end.
        let last: (deadAt: Timestamp, key: String)?
    }

    private func reapBatch(before limit: Timestamp, after last: (deadAt: Timestamp, key: String)) async throws -> ReapedBatch {
        let dead = try await database.read { tx in
            try tx.rows(BlobLedger.dead(before: limit, after: last, count: Self.batchCount)).map { row in
                (key: try row.get("key", as: BlobKey.self), deadAt: try row.get("dead_at", as: Timestamp.self))
            }
        }
        var gone: [BlobKey] = []
        for blob in dead {
            do {
                try await store.delete(blob.key)
                gone.append(blob.key)
            } catch {
                // Its row stays, so it is tried again; the others need not wait for it.
                logger.error("a dead blob could not be removed", metadata: ["blob": "\(blob.key)", "error": "\(error)"])
            }
        }
        let removed = try await database.write { [gone] tx in try gone.reduce(0) { try $0 + tx.run(BlobLedger.removeDead($1)) } }
        return ReapedBatch(reaped: removed, last: dead.last.map { ($0.deadAt, $0.key.text) })
    }

    package struct Swept: Sendable, Hashable {
        /// Published bytes without a row.
        package var orphans = 0
        /// Staged and never published.
        package var leftovers = 0
    }

    /// Removes bytes that have no row and are older than 48 hours.
    @discardableResult
    package func sweep(now: Timestamp) async throws -> Swept {
        let limit = now - BlobLimits.sweeping
        var swept = Swept()
        guard let leftovers = try await batch({ try await self.store.removeLeftovers(olderThan: limit) }) else { return swept }
        swept.leftovers = leftovers
        for try await entries in store.list(olderThan: limit) {
            for start in stride(from: 0, to: entries.count, by: Self.batchCount) {
                let keys = entries[start..<min(start + Self.batchCount, entries.count)].map(\.key)
                guard let count = try await batch({ try await self.sweepBatch(keys) }) else { return swept }
                swept.orphans += count
            }
        }
        return swept
    }

    private func sweepBatch(_ keys: [BlobKey]) async throws -> Int {
        let known = try await database.read { tx in
            Set(try tx.rows(BlobLedger.known(among: keys)).map { try $0.get("key", as: BlobKey.self) })
        }
        let unknown = keys.filter { !known.contains($0) }
        guard !unknown.isEmpty else { return 0 }
        // A database without a single blob beside a folder full of them is the wrong database, or a lost one: not ours to tidy up.
        guard try await database.read({ tx in try tx.row(BlobLedger.anyRow) }) != nil else {
            logger.error("there are blobs and not one row for them; nothing is removed: is this the database they belong to?")
            return 0
        }
        var count = 0
        for key in unknown {
            // Asked again at the last moment: it may have been adopted since it was listed.
            let isKnown = try await database.read { tx in try tx.row(BlobLedger.entry(key)) != nil }
            if isKnown { continue }
            try await store.delete(key)
            count += 1
        }
        return count
    }
}
