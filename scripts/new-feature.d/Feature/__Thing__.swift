import Core
import Database
import Media
import Search
import Web

/// A row of the table `__thing__`.
struct __Thing__: Sendable, Equatable {
    /// The name of its kind in the timeline, in search and in stored responses.
    static let kind = "__thing__"

    let id: String
    let owner: String
    let title: String
    let createdAt: Timestamp
    var file: String?
    var wordCount: Int?

    /// How many bytes the row counts against its owner's quota.
    var rowBytes: Int64 { RowBytes.count(searchable: [title], tags: []) }
    var resource: CreatedResource { CreatedResource(kind: Self.kind, id: id) }
    var document: SearchDocument {
        SearchDocument(kind: Self.kind, id: id, owner: owner, at: createdAt, texts: [("title", title)])
    }
}

extension __Thing__: TableRow {
    static let table = Table<__Thing__>("__thing__")

    init(_ row: inout RowReader, writing __thing__: __Thing__?) throws {
        id = try row.next("id", __thing__?.id)
        owner = try row.next("owner", __thing__?.owner)
        title = try row.next("title", __thing__?.title)
        createdAt = try row.next("created_at", __thing__?.createdAt)
        file = try row.next("file", __thing__?.file)
        wordCount = try row.next("word_count", __thing__?.wordCount)
    }
}
