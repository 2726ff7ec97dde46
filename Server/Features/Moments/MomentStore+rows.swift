import Core
import Database
import FeatureKit
import Media

extension Moment {
    /// How many bytes the moment's rows count against the quota, without its files.
    var rowBytes: Int64 {
        // Interests are part of the search index and of a list in the row, but have no rows of their own.
        RowBytes.count(searchable: [mood, title, note, reason, location] + interests, tags: tags, labels: [category, groupID])
    }
}

extension MomentStore {
    /// Counts a row for `RowCounter.count`.
    static func countRow(_ id: String, _ tx: WriteTransaction) throws -> (owner: String, byteCount: Int64)? {
        // `update` takes the same lock, so the texts cannot change before this write ends.
        try tx.lock(Self.lock(id))
        guard let owner: String = try tx.row("SELECT owner FROM moment WHERE id = \(id)")?.get("owner"),
            let moment = try tx.first("\(sql: Moment.table.select) WHERE id = \(id)", { try Moment(&$0, of: owner) }),
            try tx.run("UPDATE moment SET row_bytes = \(moment.rowBytes) WHERE id = \(id) AND row_bytes IS NULL") == 1
        else { return nil }
        return (owner, moment.rowBytes)
    }
}
