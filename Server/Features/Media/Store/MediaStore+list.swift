import Core
import Database

extension MediaStore {
    typealias Filter = EntryFilter

    func list(owner: String, _ selection: MediaSelection, _ request: PageRequest<TimeKey>) async throws -> Page<Asset, TimeKey> {
        let statement = Self.listStatement(owner: owner, selection, after: request.after, limit: request.rowLimit)
        let assets = try await database.list(statement, Asset.init)
        return Page(assets, limit: request.limit, key: selection.key)
    }

    /// Each combination of filters has a statement of its own that uses the index made for it. Unlisted files have no label, so only the
    /// lists without labels must leave them out: with an index that holds the owner of listed files only, however many unlisted ones there
    /// are.
    static func listStatement(owner: String, _ selection: MediaSelection, after key: TimeKey?, limit: Int) -> SQL {
        let labels = selection.labels
        let isAscending = selection.order == .ascending
        var range = selection.range
        // The rows after the key lie within this bound already. With two conditions for one end, SQLite may begin at the farther one.
        if key != nil { if isAscending { range.from = nil } else { range.to = nil } }
        if let tag = labels.tag {
            return """
                SELECT \(sql: Asset.table.columns) FROM media_tag AS tagged JOIN media ON media.id = tagged.media
                WHERE \(sql: labels.conditions(of: owner, taggedWith: tag))\(sql: range.conditions("tagged.created_at"))
                """ + (isAscending ? oldestTagged : newestTagged).page(after: key?.sql, limit: limit)
        }
        var condition = labels.conditions(of: owner)
        if labels == Filter() {
            condition =
                if let sha256 = selection.sha256 {
                    "CASE WHEN category <> '' THEN owner || ' ' || sha256 END = \(owner + " " + sha256)"
                } else if let type = selection.type {
                    "CASE WHEN category <> '' THEN owner || ' ' || substr(type, 1, 5) END = \(owner + " " + type.rawValue)"
                } else {
                    "CASE WHEN category <> '' THEN owner END = \(owner)"
                }
        }
        switch selection.sort {
        case .createdAt:
            return "\(sql: Asset.table.select) WHERE \(sql: condition)\(sql: range.conditions("media.created_at"))"
                + (isAscending ? oldest : newest).page(after: key?.sql, limit: limit)
        case .takenAt:
            let column: SQL = "COALESCE(taken_at, created_at)"
            condition = condition + range.conditions(column)
            // SQLite does not find the key by a comparison of pairs when an expression is part of them.
            if let key { condition = condition + (isAscending ? " AND \(sql: column) >= \(key.at)" : " AND \(sql: column) <= \(key.at)") }
            return "\(sql: Asset.table.select) WHERE \(sql: condition)"
                + (isAscending ? earliestTaken : latestTaken).page(after: key?.sql, limit: limit)
        }
    }

    private static let newest = Keyset(.descending, "media.created_at", "media.id")
    private static let oldest = Keyset(.ascending, "media.created_at", "media.id")
    private static let latestTaken = Keyset(.descending, "COALESCE(taken_at, created_at)", "media.id")
    private static let earliestTaken = Keyset(.ascending, "COALESCE(taken_at, created_at)", "media.id")
    private static let newestTagged = Keyset(.descending, "tagged.created_at", "tagged.media")
    private static let oldestTagged = Keyset(.ascending, "tagged.created_at", "tagged.media")
}
