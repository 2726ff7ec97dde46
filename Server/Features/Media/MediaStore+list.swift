import Core
import Database
import FeatureKit

extension MediaStore {
    /// Which assets a list shows. Several filters together narrow it further.
    struct Filter: Sendable, Equatable {
        var category: String?
        var groupID: String?
        var tag: String?
    }

    /// The newest first; at most `limit` after `position`.
    func list(owner: String, _ filter: Filter, after position: EntryKind.Position?, limit: Int) async throws -> [Asset] {
        let statement = Self.listStatement(owner: owner, filter, after: position, limit: limit)
        return try await database.read { tx in try tx.rows(statement).map(Asset.init) }
    }

    /// One statement for each shape, so that each walks the index made for it.
    static func listStatement(owner: String, _ filter: Filter, after position: EntryKind.Position?, limit: Int) -> SQL {
        var statement: SQL = "SELECT \(sql: Asset.columns)"
        if let tag = filter.tag {
            statement =
                statement
                + " FROM media_tag JOIN media ON media.id = media_tag.media WHERE media_tag.owner = \(owner) AND media_tag.tag = \(tag)"
            if let position {
                statement = statement + " AND (media_tag.created_at, media_tag.media) < (\(position.at), \(position.id))"
            }
        } else {
            statement = statement + " FROM media WHERE media.owner = \(owner)"
            if let position { statement = statement + " AND (media.created_at, media.id) < (\(position.at), \(position.id))" }
        }
        if let category = filter.category { statement = statement + " AND media.category = \(category)" }
        if let group = filter.groupID { statement = statement + " AND media.group_id = \(group)" }
        let order: SQL =
            filter.tag == nil
            ? " ORDER BY media.created_at DESC, media.id DESC" : " ORDER BY media_tag.created_at DESC, media_tag.media DESC"
        return statement + order + " LIMIT \(limit)"
    }
}
