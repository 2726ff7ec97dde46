// Types that the lists and entries of surface 0 share.

public struct OwnerPath: Codable, Sendable {
    public var userId: String

    public init(userId: String) { self.userId = userId }
}

public struct EntryPath: Codable, Sendable {
    public var userId: String
    public var id: String

    public init(userId: String, id: String) {
        self.userId = userId
        self.id = id
    }
}

public struct ListEntriesInput: Codable, Sendable {
    public var userId: String
    /// 1…100, default 20.
    public var limit: Int?
    /// `nextCursor` of the previous page.
    public var cursor: String?
    public var category: String?
    public var groupId: String?
    public var tag: String?
    /// The earliest `createdAt` of the list: a day or ISO 8601; inclusive.
    public var from: String?
    /// The end of the range: ISO 8601, exclusive, or a day (`2026-12-31`), which is included as a whole.
    public var to: String?
    /// `desc`, the default, lists the newest first; `asc` reverses the order.
    public var order: String?

    public init(
        userId: String, limit: Int? = nil, cursor: String? = nil, category: String? = nil, groupId: String? = nil, tag: String? = nil,
        from: String? = nil, to: String? = nil, order: String? = nil
    ) {
        self.userId = userId
        self.limit = limit
        self.cursor = cursor
        self.category = category
        self.groupId = groupId
        self.tag = tag
        self.from = from
        self.to = to
        self.order = order
    }
}

public struct Pagination: Codable, Sendable, Equatable {
    public var hasMore: Bool
    @OrNull public var nextCursor: String?

    public init(nextCursor: String?) {
        self.hasMore = nextCursor != nil
        self.nextCursor = nextCursor
    }
}

public struct SuccessResponse: Codable, Sendable, Equatable {
    public var success: Bool

    public init() { self.success = true }
}
