import HTTPTypes

/// The routes of __things__ (surface 0).
public enum __Thing__Endpoints {
    public static let create = CreationEndpoint<OwnerPath, __Thing__Response>(
        .post, "/api/users/user/{userId}/__things__", surface: .multimedia, body: .multipart)
    public static let list = Endpoint<List__Things__Input, __Thing__ListResponse>(
        .get, "/api/users/user/{userId}/__things__", surface: .multimedia)
    public static let read = Endpoint<EntryPath, __Thing__Response>(
        .get, "/api/users/user/{userId}/__things__/{id}", surface: .multimedia)
    public static let delete = Endpoint<EntryPath, SuccessResponse>(
        .delete, "/api/users/user/{userId}/__things__/{id}", surface: .multimedia)
}

public struct List__Things__Input: Codable, Sendable {
    public var userId: String
    /// The most __things__ of the page, 1…100; default 20.
    public var limit: Int?
    /// `nextCursor` of the previous page.
    public var cursor: String?

    public init(userId: String, limit: Int? = nil, cursor: String? = nil) {
        self.userId = userId
        self.limit = limit
        self.cursor = cursor
    }
}

public struct __Thing__Data: Codable, Sendable, Equatable {
    public var id: String
    public var title: String
    /// Milliseconds since 1970.
    public var createdAt: Int
    /// A signed link to the file; absent when the file was deleted from the library.
    public var fileUrl: String?
    /// How many words the title has; absent until a job has counted them.
    public var wordCount: Int?

    public init(id: String, title: String, createdAt: Int, fileUrl: String?, wordCount: Int?) {
        self.id = id
        self.title = title
        self.createdAt = createdAt
        self.fileUrl = fileUrl
        self.wordCount = wordCount
    }
}

public struct __Thing__Response: Codable, Sendable, Equatable {
    public var success: Bool
    public var __thing__: __Thing__Data

    public init(__thing__: __Thing__Data) {
        success = true
        self.__thing__ = __thing__
    }
}

public struct __Thing__ListResponse: Codable, Sendable, Equatable {
    public var success: Bool
    /// The __things__, newest first.
    public var __things__: [__Thing__Data]
    public var pagination: Pagination

    public init(__things__: [__Thing__Data], pagination: Pagination) {
        success = true
        self.__things__ = __things__
        self.pagination = pagination
    }
}
