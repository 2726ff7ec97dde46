import Database
import FeatureKit

extension MediaStore {
    static let rowCounter = RowCounter(kind: "media", ids: olderRows) { id, tx in
        // `update` takes the same lock, so the texts cannot change before this write ends.
        try tx.lock(Self.lock(id))
        guard let asset = try tx.first("\(sql: Asset.table.select) WHERE id = \(id)", Asset.init),
            try tx.run("UPDATE media SET row_bytes = \(asset.rowBytes) WHERE id = \(id) AND row_bytes IS NULL") == 1
        else { return nil }
        return (asset.owner, asset.rowBytes)
    }

    /// Counts all rows that were stored before rows counted against the quota. Works in batches with pauses, so that other writes proceed.
    /// Resumes after a crash. Runs once to completion.
    func countOlderRows(_ counters: [RowCounter]) async throws {
        for counter in counters {
            while try await countSomeOlderRows(counter, limit: 100) { try await Task.sleep(for: .milliseconds(20)) }
        }
    }

    /// - Returns: whether more rows may remain.
    func countSomeOlderRows(_ counter: RowCounter, limit: Int) async throws -> Bool {
        let isDone = try await database.read { tx in try tx.row(Self.rowPass(counter.kind))?.get("is_done", as: Bool.self) ?? true }
        if isDone { return false }
        return try await database.write { tx in
            try tx.lock("row pass " + counter.kind)
            guard let pass = try tx.row(Self.rowPass(counter.kind)), try !pass.get("is_done", as: Bool.self) else { return false }
            let ids: [String] = try tx.rows(counter.ids(pass.get("after"), limit)).map { try $0.get("id") }
            var byteCounts: [String: Int64] = [:]
            for id in ids {
                guard let (owner, byteCount) = try counter.count(id, tx) else { continue }
                byteCounts[owner, default: 0] += byteCount
            }
            // Updates the accounts after all rows, in a fixed order: a transaction that holds an account's row never waits for another row,
            // so transactions cannot deadlock.
            for (owner, byteCount) in byteCounts.sorted(by: { $0.key < $1.key }) {
                try usage.note(UsageLedger.Charge(rowBytes: byteCount), of: owner, tx)
            }
            let isDone = ids.count < limit
            try tx.run("UPDATE row_pass SET after = \(ids.last ?? ""), is_done = \(isDone) WHERE kind = \(counter.kind)")
            return !isDone
        }
    }

    static func rowPass(_ kind: String) -> SQL { "SELECT after, is_done FROM row_pass WHERE kind = \(kind)" }
}
