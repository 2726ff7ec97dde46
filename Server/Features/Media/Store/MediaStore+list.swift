import Core
import Database
import Web

extension MediaStore {
    typealias Filter = EntryFilter

    /// - Parameter waitForTurn: as for `walk`.
    func list(
        owner: String, _ selection: MediaSelection, _ request: PageRequest<TimeKey>, bounds: WalkBounds = WalkBounds(),
        waitForTurn: () async throws -> Void
    ) async throws -> Page<Asset, TimeKey> {
        if let walked = selection.walked {
            return try await walk(owner: owner, selection, along: walked, request, bounds, waitForTurn: waitForTurn)
        }
        let statement = Self.listStatement(owner: owner, selection, after: request.after, limit: request.rowLimit)
        let assets = try await database.list(statement, Asset.init)
        return Page(inBytes: assets, limit: request.limit, byteCount: \.textByteCount, key: selection.key)
    }

    /// Each combination of filters reads the index made for it, so that a page reads its own rows only.
    /// - Parameter selection: its `walked` must be `nil`, because no index covers other selections.
    static func listStatement(owner: String, _ selection: MediaSelection, after key: TimeKey?, limit: Int) -> SQL {
        guard selection.sort == .takenAt, selection.labels != Filter(), selection.type == nil else {
            return singleStatement(owner: owner, selection, after: key, limit: limit, columns: Asset.table.columns)
        }
        // The index of a label by time taken holds the type before the time, so that it serves lists with a type, too. Without a type, the
        // lists of all types are merged. Each needs an order and a limit of its own: PostgreSQL would otherwise read all rows and sort them.
        let lists = MediaType.Kind.allCases.map { type -> SQL in
            var selection = selection
            selection.type = type
            let columns: SQL = "\(sql: Asset.table.columns), COALESCE(media.taken_at, media.created_at) AS moment"
            let list = singleStatement(owner: owner, selection, after: key, limit: limit, columns: columns)
            return "SELECT * FROM (\(sql: list)) AS part"
        }
        let order = selection.order == .ascending ? earliestMoment : latestMoment
        return lists.dropFirst().reduce(lists[0]) { $0 + " UNION ALL " + $1 } + order.page(after: nil, limit: limit)
    }

    /// The columns of merged lists.
    private static let latestMoment = Keyset(.descending, "moment", "id")
    private static let earliestMoment = Keyset(.ascending, "moment", "id")

    /// - Parameter selection: must have a type if it has a label and is sorted by `takenAt`.
    private static func singleStatement(
        owner: String, _ selection: MediaSelection, after key: TimeKey?, limit: Int, columns: SQL
    ) -> SQL {
        let isTagged = selection.labels.tag != nil
        let table: SQL = isTagged ? "media_tag AS tagged JOIN media ON media.id = tagged.media" : "media"
        let order =
            switch selection.sort {
            case .createdAt: isTagged ? ListOrder.tagged : .created
            case .takenAt: isTagged ? ListOrder.taggedTaken : .taken
            }
        return """
            SELECT \(sql: columns) FROM \(sql: table)
            WHERE \(sql: conditions(of: owner, selection))\(sql: order.end(selection, after: key, limit: limit))
            """
    }

    /// Conditions on owner, labels, type and hash. Unlisted files have no labels, so only lists without labels must leave them out. For
    /// these lists, the indexes hold an owner only for listed files, so the number of unlisted files does not matter. Each expression must
    /// be the same as in its index; see `EntryFilter` for why the indexes hold expressions.
    private static func conditions(of owner: String, _ selection: MediaSelection) -> SQL {
        let labels = selection.labels
        switch (selection.type?.rawValue, labels.category, labels.groupID, labels.tag) {
        case (let type?, nil, nil, nil):
            return "CASE WHEN category <> '' THEN owner || ' ' || substr(type, 1, 5) END = \(owner + " " + type)"
        // The names of all types have five characters, so that different types and labels never make the same text.
        case (let type?, let category?, nil, nil):
            return "media.owner || '' = \(owner) AND substr(media.type, 1, 5) || media.category = \(type + category)"
        case (let type?, nil, let groupID?, nil):
            return "media.owner || '' = \(owner) AND substr(media.type, 1, 5) || media.group_id = \(type + groupID)"
        case (let type?, nil, nil, let tag?):
            return "tagged.owner = \(owner) AND substr(tagged.type, 1, 5) || tagged.tag = \(type + tag)"
        case (.some, _, _, _):
            preconditionFailure("no index holds a type with several labels; see MediaSelection.walked")
        case (nil, nil, nil, nil):
            if let sha256 = selection.sha256 {
                return "CASE WHEN category <> '' THEN owner || ' ' || sha256 END = \(owner + " " + sha256)"
            }
            return "CASE WHEN category <> '' THEN owner END = \(owner)"
        case (nil, _, _, let tag?):
            return labels.conditions(of: owner, taggedWith: tag)
        case (nil, _, _, nil):
            return labels.conditions(of: owner)
        }
    }
}

/// The order of a list: a time, then an id.
private struct ListOrder {
    private let time: SQL
    private let ascending: Keyset
    private let descending: Keyset
    /// Whether `time` is an expression. SQLite does not use an index for a comparison of pairs that contain an expression.
    private let isExpression: Bool

    private init(_ time: StaticString, _ id: StaticString, isExpression: Bool = false) {
        self.time = SQL(stringLiteral: time)
        ascending = Keyset(.ascending, time, id)
        descending = Keyset(.descending, time, id)
        self.isExpression = isExpression
    }

    static let created = ListOrder("media.created_at", "media.id")
    static let taken = ListOrder("COALESCE(media.taken_at, media.created_at)", "media.id", isExpression: true)
    static let tagged = ListOrder("tagged.created_at", "tagged.media")
    static let taggedTaken = ListOrder("COALESCE(tagged.taken_at, tagged.created_at)", "tagged.media", isExpression: true)

    /// The end of a list's statement: the selection's range, what comes after the key, the order and the limit.
    func end(_ selection: MediaSelection, after key: TimeKey?, limit: Int) -> SQL {
        let isAscending = selection.order == .ascending
        var range = selection.range
        // The rows after the key lie within this bound already. With two conditions for one end, SQLite may begin at the farther one.
        if key != nil { if isAscending { range.from = nil } else { range.to = nil } }
        var end = range.conditions(time)
        if isExpression, let key { end = end + (isAscending ? " AND \(sql: time) >= \(key.at)" : " AND \(sql: time) <= \(key.at)") }
        return end + (isAscending ? ascending : descending).page(after: key?.sql, limit: limit)
    }
}
