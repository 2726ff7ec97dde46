import Core
import Database
import Media

/// A row of `chat_conversation`.
struct StoredConversation: Sendable, Equatable {
    let owner: String
    let id: String
    var title: String
    /// Whether the user chose the title.
    var isRenamed: Bool
    /// The provider's name in the first message's request.
    var endpoint: String
    /// The position of the latest message; positions begin with 1.
    var lastPosition: Int64
    var createdAt: Timestamp
    var updatedAt: Timestamp
    var rowBytes: Int64

    var countedBytes: Int64 { RowBytes.count(searchable: [], tags: [], plain: [title]) }
}

extension StoredConversation: TableRow {
    static let table = Table<StoredConversation>("chat_conversation")

    init(_ row: inout RowReader, writing conversation: StoredConversation?) throws {
        owner = try row.next("owner", conversation?.owner)
        id = try row.next("id", conversation?.id)
        title = try row.next("title", conversation?.title)
        isRenamed = try row.next("is_renamed", conversation?.isRenamed)
        endpoint = try row.next("endpoint", conversation?.endpoint)
        lastPosition = try row.next("last_position", conversation?.lastPosition)
        createdAt = try row.next("created_at", conversation?.createdAt)
        updatedAt = try row.next("updated_at", conversation?.updatedAt)
        rowBytes = try row.next("row_bytes", conversation?.rowBytes)
    }
}
