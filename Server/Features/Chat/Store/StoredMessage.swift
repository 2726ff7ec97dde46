import Core
import Database
import Media

/// A row of `chat_message`.
struct StoredMessage: Sendable, Equatable {
    enum State: String, Sendable, CaseIterable {
        case done, writing, stopped, failed
    }

    /// The kind of a message's document in the search index.
    static let kind = "chat_message"

    let owner: String
    let id: String
    let conversation: String
    /// The message's position in the conversation: 1, 2, 3 …
    let position: Int64
    /// The message before it; `nil` for the first.
    let parent: String?
    /// For an answer, the message that it answers; `nil` for a message of the user.
    let question: String?
    var text: String
    let endpoint: String
    /// Who answers: `gemini`, `openai`, `librechat` or `local`; `nil` for a message of the user.
    var provider: String?
    var model: String?
    var state: State
    /// Whether the answer was stopped, cut off or failed.
    var isUnfinished: Bool
    /// Why the answer failed; for people.
    var error: String?
    /// Whether the answer failed because its provider was not reached, took too long or was busy.
    var isAway = false
    /// For an answer that failed: a retry before this time fails too; `nil` when this time is unknown.
    var retryAt: Timestamp?
    /// How often the answer was begun; 0 for a message of the user.
    var attempt: Int64
    /// After this time, the node that wrote the answer counts as dead.
    var leaseUntil: Timestamp?
    /// How many pieces of the text are stored in `chat_piece`, or were before they were deleted.
    var frameCount: Int64
    /// When the answer ended; `nil` before that, and `nil` again after its pieces are deleted.
    var endedAt: Timestamp?
    let createdAt: Timestamp
    var updatedAt: Timestamp
    var rowBytes: Int64

    var isByUser: Bool { question == nil }

    /// For callers that keep the row for a long time and do not need the text.
    var withoutText: StoredMessage {
        var message = self
        message.text = ""
        return message
    }

    static func countedBytes(_ text: String) -> Int64 { RowBytes.count(searchable: [text], tags: []) }
}

extension StoredMessage: TableRow {
    static let table = Table<StoredMessage>("chat_message")

    init(_ row: inout RowReader, writing message: StoredMessage?) throws {
        owner = try row.next("owner", message?.owner)
        id = try row.next("id", message?.id)
        conversation = try row.next("conversation", message?.conversation)
        position = try row.next("position", message?.position)
        parent = try row.next("parent", message?.parent)
        question = try row.next("question", message?.question)
        text = try row.next("text", message?.text)
        endpoint = try row.next("endpoint", message?.endpoint)
        provider = try row.next("provider", message?.provider)
        model = try row.next("model", message?.model)
        state = try row.next("state", message?.state)
        isUnfinished = try row.next("is_unfinished", message?.isUnfinished)
        error = try row.next("error", message?.error)
        isAway = try row.next("is_away", message?.isAway)
        retryAt = try row.next("retry_at", message?.retryAt)
        attempt = try row.next("attempt", message?.attempt)
        leaseUntil = try row.next("lease_until", message?.leaseUntil)
        frameCount = try row.next("frame_count", message?.frameCount)
        endedAt = try row.next("ended_at", message?.endedAt)
        createdAt = try row.next("created_at", message?.createdAt)
        updatedAt = try row.next("updated_at", message?.updatedAt)
        rowBytes = try row.next("row_bytes", message?.rowBytes)
    }
}
