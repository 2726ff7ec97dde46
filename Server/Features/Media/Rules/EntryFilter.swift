internal import Core
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

    /// - Throws: `.invalid` naming the filter whose value no entry can have.
    package init(_ input: ListEntriesInput) throws {
        category = try TextRules.optionalLine(input.category, field: "category", max: 64)
        groupID = try MediaRules.groupID(input.groupId)
        tag = try TextRules.optionalLine(input.tag, field: "tag", max: 64)
    }

    /// The filter's part of a cursor's scope: a cursor is valid only for the filter it was issued with.
    package var scope: [String] { [category ?? "", groupID ?? "", tag ?? ""] }

    /// Conditions on the columns `category` and `group_id`. Tags are not included: they have a table and an index of their own.
    package var conditions: SQL {
        var conditions: SQL = ""
        if let category { conditions = conditions + " AND category = \(category)" }
        if let groupID { conditions = conditions + " AND group_id = \(groupID)" }
        return conditions
    }
}
