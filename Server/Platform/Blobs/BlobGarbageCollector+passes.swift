package import Core
import Database
import Logging

extension BlobGarbageCollector {
    /// The number of blobs in a batch. The server's stop waits for at most one batch.
    private static let batchCount = 100

    /// Deletes blobs that have been dead for more than 10 minutes: the bytes first, then the row. After a crash in between, the row remains
    /// and the next pass retries; the other order could leave bytes without a row.
    /// - Returns: the number of blobs deleted.
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
        /// The position where the next batch starts. It is also past blobs that could not be deleted. `nil` at the end.
        let last: (deadAt: Timestamp, key: String)?
    }

    private func reapBatch(before limit: Timestamp, after last: (deadAt: Timestamp, key: String)) async throws -> ReapedBatch {
        let dead = try await database.read { [clock] tx -> [(key: BlobKey, deadAt: Timestamp)] in
            // A hold that is taken after this read is not a problem: these blobs are dead already, so the snapshot under that hold does not
            // name them.
            if try BlobHold.isHeld(at: clock.now, tx) { return [] }
            return try tx.rows(BlobLedger.dead(before: limit, after: last, count: Self.batchCount)).map { row in
                (key: try row.get("key", as: BlobKey.self), deadAt: try row.get("dead_at", as: Timestamp.self))
            }
        }
        var gone: [BlobKey] = []
        for blob in dead {
            do {
                try await store.delete(blob.key)
                gone.append(blob.key)
            } catch {
                // The row stays, so the next pass retries; the other blobs do not wait for it.
                if error is CancellationError { continue }
                logger.error(
                    "deleting an unreferenced blob failed; the next pass retries", metadata: ["blob": "\(blob.key)", "error": "\(error)"])
            }
        }
        return ReapedBatch(reaped: try await removeRows(of: gone), last: dead.last.map { ($0.deadAt, $0.key.text) })
    }

    /// - Returns: the number of rows deleted.
    private func removeRows(of keys: [BlobKey]) async throws -> Int {
        do {
            return try await database.write { tx in try keys.reduce(0) { try $0 + tx.run(BlobLedger.removeDead($1)) } }
        } catch DatabaseError.foreignKeyViolation {
            // Another row still refers to one of these blobs, which is a fault of the server. The loop below deletes the other rows.
        }
        var count = 0
        for key in keys {
            do {
                count += try await database.run(BlobLedger.removeDead(key))
            } catch DatabaseError.foreignKeyViolation {
                logger.error("the row of an unreferenced blob cannot be deleted: another row names it", metadata: ["blob": "\(key)"])
            }
        }
        return count
    }

    package struct Swept: Sendable, Hashable {
        /// Published bytes without a row.
        package var orphans = 0
        /// Files that were staged but never published.
        package var leftovers = 0
    }

    /// Deletes bytes that have no row and are older than 48 hours.
    @discardableResult
    package func sweep(now: Timestamp) async throws -> Swept {
        let limit = now - BlobLimits.sweeping
        var swept = Swept()
        do {
            guard let leftovers = try await batch({ try await self.store.removeLeftovers(olderThan: limit) }) else { return swept }
            swept.leftovers = leftovers
        } catch {
            if error is CancellationError { throw error }
            logger.error("deleting unpublished files failed; the next sweep retries", metadata: ["error": "\(error)"])
        }
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
        let known = try await database.read { [clock] tx in
            if try BlobHold.isHeld(at: clock.now, tx) { return Set(keys) }
            return Set(try tx.rows(BlobLedger.known(among: keys)).map { try $0.get("key", as: BlobKey.self) })
        }
        let unknown = keys.filter { !known.contains($0) }
        guard !unknown.isEmpty else { return 0 }
        // An empty blob table beside a folder full of blobs means a wrong or lost database, so delete nothing.
        guard try await database.read({ tx in try tx.row(BlobLedger.anyRow) }) != nil else {
            logger.error("the folder has blobs but the database has none, so nothing is deleted: check that they belong together")
            return 0
        }
        var count = 0
        for key in unknown {
            // Check again right before the deletion: the blob may have been adopted since it was listed.
            let isKnown = try await database.read { tx in try tx.row(BlobLedger.entry(key)) != nil }
            if isKnown { continue }
            do {
                try await store.delete(key)
                count += 1
            } catch {
                if error is CancellationError { throw error }
                logger.error(
                    "deleting bytes without a row failed; the next sweep retries", metadata: ["blob": "\(key)", "error": "\(error)"])
            }
        }
        return count
    }
}
