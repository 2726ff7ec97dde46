package import Core
package import Database
package import KeepsakeWire

/// Selects which of an owner's entries a list shows. An entry must match every filter that is set.
package struct EntryFilter: Sendable, Equatable {
    package var category: String?
    package var groupID: String?
    package var tag: String?

    package init(category: String? = nil, groupID: String? = nil, tag: String? = nil) {
        self.category = category
        self.groupID = groupID
        self.tag = tag
    }

    /// - Throws: `.invalid` naming the filter, if no entry can have its value.
    package init(_ input: ListEntriesInput) throws {
        try self.init(checking: input.category, groupID: input.groupId, tag: input.tag)
    }

    /// - Throws: `.invalid` naming the filter, if no entry can have its value.
    init(checking category: String?, groupID: String?, tag: String?) throws {
        self.category = try TextRules.optionalLine(category, field: "category", max: 64)
        self.groupID = try MediaRules.groupID(groupID)
        self.tag = try TextRules.optionalLine(tag, field: "tag", max: 64)
    }

    /// How many labels are set, 0…3.
    var count: Int { [category, groupID, tag].count { $0 != nil } }

    /// The filter's part of a cursor's scope: a cursor is valid only for the filter it was issued with.
    package var scope: [String] { [category ?? "", groupID ?? "", tag ?? ""] }

    // MARK: SQL
    //
    // Each combination of labels has one index that returns the rows in the order of time, and its condition fits only this index. That is
    // the purpose of `|| ''` and of the expressions that join several labels. If every index held the bare columns, PostgreSQL could read
    // an index of fewer labels instead and check the other labels row by row, because it estimates how common a label is from the rows of
    // all accounts. For an account without this label, it would then read all of the account's rows to return an empty page. The index and
    // the condition must contain the same expression.

    /// Conditions on the columns `owner`, `category` and `group_id` of an entry's own row. Tags are not included: they have a table of
    /// their own.
    package func conditions(of owner: String) -> SQL {
        switch (category, groupID) {
        case (nil, nil): "owner = \(owner)"
        case (let category?, nil): "owner || '' = \(owner) AND category = \(category)"
        case (nil, let groupID?): "owner || '' = \(owner) AND group_id = \(groupID)"
        case (let category?, let groupID?):
            """
            owner || '' = \(owner)
                AND CAST(length(category) AS TEXT) || ' ' || category || group_id = \(Self.joined([category, groupID]))
            """
        }
    }

    /// Conditions on a row of a table of tags. Such a row repeats the owner, category and group of its entry. The statement must call the
    /// table `tagged`.
    package func conditions(of owner: String, taggedWith tag: String) -> SQL {
        switch (category, groupID) {
        case (nil, nil): "tagged.owner = \(owner) AND tagged.tag = \(tag)"
        case (let category?, nil):
            """
            tagged.owner = \(owner)
                AND CAST(length(tagged.category) AS TEXT) || ' ' || tagged.category || tagged.tag = \(Self.joined([category, tag]))
            """
        case (nil, let groupID?):
            """
            tagged.owner = \(owner)
                AND CAST(length(tagged.group_id) AS TEXT) || ' ' || tagged.group_id || tagged.tag = \(Self.joined([groupID, tag]))
            """
        case (let category?, let groupID?):
            """
            tagged.owner = \(owner)
                AND CAST(length(tagged.category) AS TEXT) || ' ' || tagged.category || CAST(length(tagged.group_id) AS TEXT) || ' '
                    || tagged.group_id || tagged.tag = \(Self.joined([category, groupID, tag]))
            """
        }
    }

    /// Joins several labels to one text, as the expressions above do. The length of each label but the last comes before the label, so that
    /// different labels never make the same text.
    private static func joined(_ labels: [String]) -> String {
        labels.dropLast().map { "\($0.unicodeScalars.count) \($0)" }.joined() + (labels.last ?? "")
    }
}

extension TimeRange {
    /// The range's part of a cursor's scope. Empty without a range, so that cursors from before ranges existed stay valid.
    package var scope: [String] { self == .all ? [] : [from, to].map { $0.map { String($0.microseconds) } ?? "" } }

    /// SQL conditions that restrict `column` to the range.
    package func conditions(_ column: SQL) -> SQL {
        var range: SQL = ""
        if let from { range = range + " AND \(sql: column) >= \(from)" }
        if let to { range = range + " AND \(sql: column) < \(to)" }
        return range
    }
}
