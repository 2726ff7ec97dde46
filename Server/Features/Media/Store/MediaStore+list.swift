import Core
import Database

extension MediaStore {
    typealias Filter = EntryFilter

    /// Newest first.
    func list(owner: String, _ filter: Filter, _ request: PageRequest<TimeKey>) async throws -> Page<Asset, TimeKey> {
        let statement = Self.listStatement(owner: owner, filter, after: request.after, limit: request.rowLimit)
        let assets = try await database.list(statement, Asset.init)
        return Page(assets, limit: request.limit) { TimeKey(at: $0.createdAt, id: $0.id) }
    }

    /// Each combination of filters has a statement of its own that uses the index made for it. Unlisted files have no label, so only the
    /// list of all files must leave them out: with an index that holds the owner of listed files only, however many unlisted ones there are.
    static func listStatement(owner: String, _ filter: Filter, after key: TimeKey?, limit: Int) -> SQL {
        if filter == Filter() {
            return "\(sql: Asset.table.select) WHERE CASE WHEN category <> '' THEN owner END = \(owner)"
                + newest.page(after: key?.sql, limit: limit)
        }
        guard let tag = filter.tag else {
            return "\(sql: Asset.table.select) WHERE \(sql: filter.conditions(of: owner))" + newest.page(after: key?.sql, limit: limit)
        }
        return """
            SELECT \(sql: Asset.table.columns) FROM media_tag AS tagged JOIN media ON media.id = tagged.media
            WHERE \(sql: filter.conditions(of: owner, taggedWith: tag))
            """ + newestTagged.page(after: key?.sql, limit: limit)
    }

    private static let newest = Keyset(.descending, "media.created_at", "media.id")
    private static let newestTagged = Keyset(.descending, "tagged.created_at", "tagged.media")
}
