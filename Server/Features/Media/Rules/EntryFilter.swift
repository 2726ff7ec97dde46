internal import Core
package import Database
package import KeepsakeWire

/// Which of an owner's entries a list shows. Several filters together narrow it further.
package struct EntryFilter: Sendable, Equatable {
    package var category: String?
    package var groupID: String?
    package var tag: String?

    package init(category: String? = nil, groupID: String? = nil, tag: String? = nil) {
        self.category = category
        self.groupID = groupID
        self.tag = tag
    }

    /// - Throws: `.invalid` naming the filter that no entry can have.
    package init(_ input: ListEntriesInput) throws {
        category = try TextRules.optionalLine(input.category, field: "category", max: 64)
        groupID = try MediaRules.groupID(input.groupId)
        tag = try TextRules.optionalLine(input.tag, field: "tag", max: 64)
    }

    /// For cursors.
    package var scope: [String] { [category ?? "", groupID ?? "", tag ?? ""] }

    /// Conditions on the columns `category` and `group_id`. Tags have a table and an index of their own.
    package var conditions: SQL {
        var conditions: SQL = ""
        if let category { conditions = conditions + " AND category = \(category)" }
        if let groupID { conditions = conditions + " AND group_id = \(groupID)" }
        return conditions
    }
}
