import HTTPTypes

/// Surface 2: the files of a chat. A client uploads a file first, and then sends its id in a message.
public enum ChatFileEndpoints {
    public static let upload = CreationEndpoint<Empty, ChatFileObject>(.post, "/api/chat/files/upload", surface: .chat, body: .multipart)
    /// Serves pictures. The path is `/api/chat/files/serve` followed by `ChatFileObject.filepath`.
    public static let serveImage = Endpoint<ChatFilePath, FileContent>(
        .get, "/api/chat/files/serve/images/{userId}/{name}", surface: .chat)
    /// Serves all other files.
    public static let serveUpload = Endpoint<ChatFilePath, FileContent>(
        .get, "/api/chat/files/serve/uploads/{userId}/{name}", surface: .chat)
    public static let delete = Endpoint<ChatFileID, SuccessResponse>(.delete, "/api/chat/files/{fileId}", surface: .chat)
}

public struct ChatFilePath: Codable, Sendable {
    public var userId: String
    /// The last part of `ChatFileObject.filepath`.
    public var name: String

    public init(userId: String, name: String) {
        self.userId = userId
        self.name = name
    }
}

public struct ChatFileID: Codable, Sendable {
    /// `ChatFileObject.file_id`.
    public var fileId: String

    public init(fileId: String) { self.fileId = fileId }
}

/// A file, in the response to its upload and in messages.
public struct ChatFileObject: Codable, Sendable, Equatable {
    /// `true` in the response to an upload, otherwise `nil`.
    public var success: Bool?
    /// A UUID.
    public var fileId: String
    /// 24 hexadecimal digits.
    public var objectId: String
    /// The file name that the client sent.
    public var filename: String
    /// `/images/{userId}/{name}` for pictures, `/uploads/{userId}/{name}` for other files, percent-encoded.
    public var filepath: String
    /// The content type that the server detected.
    public var type: String
    /// Bytes.
    public var size: Int
    /// The same as `size`.
    public var bytes: Int
    /// Pixels of the upright picture, as measured by the server; `nil` for a document.
    public var width: Int?
    /// Pixels, the same as for `width`.
    public var height: Int?
    /// Always `false`: the server does not compute embeddings of files.
    public var embedded: Bool
    /// `text` if the server has extracted the document's text, otherwise `local`.
    public var source: String
    /// The document's text, at most 100,000 characters. Only the response to an upload contains it, and only if the server extracted the
    /// text within 5 seconds.
    public var text: String?

    enum CodingKeys: String, CodingKey {
        case success
        case fileId = "file_id"
        case objectId = "_id"
        case filename, filepath, type, size, bytes, width, height, embedded, source, text
    }

    public init(
        success: Bool? = nil, fileId: String, objectId: String, filename: String, filepath: String, type: String, size: Int,
        width: Int? = nil, height: Int? = nil, source: String, text: String? = nil
    ) {
        self.success = success
        self.fileId = fileId
        self.objectId = objectId
        self.filename = filename
        self.filepath = filepath
        self.type = type
        self.size = size
        bytes = size
        self.width = width
        self.height = height
        embedded = false
        self.source = source
        self.text = text
    }
}
