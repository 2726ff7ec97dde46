import Core
import Database
import KeepsakeWire
import Media

/// A row of `chat_file`: a file that was uploaded for a chat. The library holds its bytes, in the file with the same id.
struct ChatFile: Sendable, Equatable {
    var id: String
    var owner: String
    /// The name that the client gave the file.
    var name: String
    var type: ChatFileType
    var byteCount: Int64
    /// Pixels, after rotation to upright; `nil` for documents.
    var width: Int?
    var height: Int?
    var textState: TextState
    /// The upload's `endpoint` and `toolResource`, as the client sent them, for a provider that knows them.
    var endpoint: String?
    var toolResource: String?
    var createdAt: Timestamp
    /// When it was first sent in a message; `nil` until then.
    var sentAt: Timestamp?

    enum TextState: Int64, Sendable {
        /// The file holds no text, or the server cannot read it.
        case none = 0
        /// A job will read the text.
        case pending = 1
        case ready = 2
    }

    var hasText: Bool { textState == .ready }
    var isImage: Bool { type.isImage }

    /// The kind of the file's document in the search index.
    static let searchKind = "chat_file"

    /// 24 hexadecimal digits, because clients expect ids like those of a document database. They are the time and the last random digits of
    /// the UUID.
    var objectID: String {
        let digits = id.filter { $0 != "-" }
        return String(digits.prefix(12) + digits.suffix(12))
    }

    /// The last part of the file's path. It contains nothing that the client chose.
    var storedName: String { "\(id).\(type.fileExtensions[0])" }

    /// The file's path in URLs, percent-encoded.
    var filepath: String { "/\(isImage ? "images" : "uploads")/\(PercentEncoding.encode(owner))/\(storedName)" }

    /// - Parameter text: the document's text; `nil` leaves it out.
    func wire(text: String? = nil, success: Bool? = nil) -> ChatFileObject {
        ChatFileObject(
            success: success, fileId: id, objectId: objectID, filename: name, filepath: filepath, type: type.rawValue, size: Int(byteCount),
            width: width, height: height, source: hasText && type.document != nil ? "text" : "local", text: text)
    }

    /// How many bytes the row counts against the quota.
    func rowBytes(text: String?) -> Int64 {
        RowBytes.count(searchable: [name, text], tags: [], plain: [endpoint, toolResource, text])
    }
}

extension ChatFile: TableRow {
    static let table = Table<ChatFile>("chat_file")

    init(_ row: inout RowReader, writing file: ChatFile?) throws {
        id = try row.next("id", file?.id)
        owner = try row.next("owner", file?.owner)
        name = try row.next("name", file?.name)
        type = ChatFileType(rawValue: try row.next("type", file?.type.rawValue)) ?? .text
        byteCount = try row.next("byte_count", file?.byteCount)
        width = try row.next("width", file?.width)
        height = try row.next("height", file?.height)
        textState = TextState(rawValue: try row.next("text_state", file?.textState.rawValue)) ?? .none
        endpoint = try row.next("endpoint", file?.endpoint)
        toolResource = try row.next("tool_resource", file?.toolResource)
        createdAt = try row.next("created_at", file?.createdAt)
        sentAt = try row.next("sent_at", file?.sentAt)
    }
}
