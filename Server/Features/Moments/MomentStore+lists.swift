import Core
import Database
import FeatureKit

extension MomentStore {
    /// Which moments of a kind a list shows. Several filters together narrow it further.
    struct Filter: Sendable, Equatable {
        var category: String?
        var groupID: String?
        var tag: String?
    }

    /// The newest first; at most `limit` after `position`.
    func list(
        _ kind: Moment.Kind, owner: String, _ filter: Filter, after position: EntryKind.Position?, limit: Int
    ) async throws -> [Moment] {
        let statement = Self.listStatement(kind, owner: owner, filter, after: position, limit: limit)
        return try await database.list(statement) { try Moment(&$0, of: owner) }
    }

    /// One statement for each shape, so that each walks the index made for it.
    static func listStatement(
        _ kind: Moment.Kind, owner: String, _ filter: Filter, after position: EntryKind.Position?, limit: Int
    ) -> SQL {
        var statement: SQL = "SELECT \(sql: Moment.columns)"
        if let tag = filter.tag {
            statement =
                statement + """
                     FROM moment_tag JOIN moment ON moment.id = moment_tag.moment
                    WHERE moment_tag.owner = \(owner) AND moment_tag.kind = \(kind.rawValue) AND moment_tag.tag = \(tag)
                    """
            if let position {
                statement = statement + " AND (moment_tag.created_at, moment_tag.moment) < (\(position.at), \(position.id))"
            }
        } else {
            statement = statement + " FROM moment WHERE moment.owner = \(owner) AND moment.kind = \(kind.rawValue)"
            if let position { statement = statement + " AND (moment.created_at, moment.id) < (\(position.at), \(position.id))" }
        }
        if let category = filter.category { statement = statement + " AND moment.category = \(category)" }
        if let group = filter.groupID { statement = statement + " AND moment.group_id = \(group)" }
        let order: SQL =
            filter.tag == nil
            ? " ORDER BY moment.created_at DESC, moment.id DESC" : " ORDER BY moment_tag.created_at DESC, moment_tag.moment DESC"
        return statement + order + " LIMIT \(limit)"
    }

    // MARK: On the timeline, and among what was found

    func timeline(_ request: EntryKind.Request, _ tx: ReadTransaction) throws -> [Moment] {
        try tx.list(Self.timelineStatement(request)) { try Moment(&$0, of: request.owner) }
    }

    static func timelineStatement(_ request: EntryKind.Request) -> SQL {
        var statement: SQL = "SELECT \(sql: Moment.columns)"
        if let tag = request.tag {
            statement =
                statement + """
                     FROM moment_tag JOIN moment ON moment.id = moment_tag.moment
                    WHERE moment_tag.owner = \(request.owner) AND moment_tag.tag = \(tag)
                    """
            if let from = request.from { statement = statement + " AND moment_tag.happened_at >= \(from)" }
            if let to = request.to { statement = statement + " AND moment_tag.happened_at < \(to)" }
            if let after = request.after {
                statement = statement + " AND (moment_tag.happened_at, moment_tag.moment) < (\(after.at), \(after.id))"
            }
            return statement + " ORDER BY moment_tag.happened_at DESC, moment_tag.moment DESC LIMIT \(request.limit)"
        }
        statement = statement + " FROM moment WHERE moment.owner = \(request.owner)"
        if let from = request.from { statement = statement + " AND moment.happened_at >= \(from)" }
        if let to = request.to { statement = statement + " AND moment.happened_at < \(to)" }
        if let after = request.after { statement = statement + " AND (moment.happened_at, moment.id) < (\(after.at), \(after.id))" }
        return statement + " ORDER BY moment.happened_at DESC, moment.id DESC LIMIT \(request.limit)"
    }

    /// Those of `ids` that there are and that are the owner's.
    func moments(_ ids: [String], owner: String, _ tx: ReadTransaction) throws -> [Moment] {
        guard !ids.isEmpty else { return [] }
        return try tx.list("SELECT \(sql: Moment.columns) FROM moment WHERE id IN (\(sql: .list(ids))) AND owner = \(owner)") {
            try Moment(&$0, of: owner)
        }
    }
}
