import Core
import Database
import FeatureKit
import Media

extension Moment {
    /// What its rows count against the quota, beside its files.
    var rowBytes: Int64 {
        // Interests are words in the index and a list in the row, but have no rows of their own.
        RowBytes.count(searchable: [mood, title, note, reason, location] + interests, tags: tags, plain: [category, groupID])
    }
}

extension MomentStore {
    /// As `RowCounter.count`.
    static func countRow(_ id: String, _ tx: WriteTransaction) throws -> (owner: String, byteCount: Int64)? {
        // As `update` does: the texts stay as they are until this write ends.
        try tx.lock("moment " + id)
        guard let owner: String = try tx.row("SELECT owner FROM moment WHERE id = \(id)")?.get("owner"),
            let moment = try tx.first("\(sql: Moment.table.select) WHERE id = \(id)", { try Moment(&$0, of: owner) }),
            try tx.run("UPDATE moment SET row_bytes = \(moment.rowBytes) WHERE id = \(id) AND row_bytes IS NULL") == 1
        else { return nil }
        return (owner, moment.rowBytes)
    }
}
