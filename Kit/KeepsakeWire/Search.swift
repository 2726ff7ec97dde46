import HTTPTypes

/// Surface 0, full text over everything that was written or said.
public enum SearchEndpoints {
    public static let search = Endpoint<SearchInput, SearchResponse>(
        .get, "/api/users/user/{userId}/search", surface: .multimedia)
}

public struct SearchInput: Codable, Sendable {
    public var userId: String
    /// Words; all must be there, accents and case do not matter, the last may be the beginning of a word.
    public var q: String
    /// Only of this kind: `mood`, `memory`, `event`, `capsule`, `file`.
    public var kind: String?
    /// 1…100, default 20.
    public var limit: Int?
    /// `nextCursor` of the page before.
    public var cursor: String?

    public init(userId: String, q: String, kind: String? = nil, limit: Int? = nil, cursor: String? = nil) {
        self.userId = userId
        self.q = q
        self.kind = kind
        self.limit = limit
        self.cursor = cursor
    }
}

/// One thing that was found, with the places where the words stand.
public struct SearchItem: Codable, Sendable, Equatable {
    /// What the words stand in, with them marked. Text, not HTML: the marks are ranges.
    public struct Snippet: Codable, Sendable, Equatable {
        /// `mood`, `title`, `note`, `reason`, `description`, `location`, `tags`, `interests`, `transcript`, `name`.
        public var field: String
        public var text: String
        /// Where the found words stand in `text`: offset and length in Unicode scalars.
        public var marks: [[Int]]

        public init(field: String, text: String, marks: [[Int]]) {
            self.field = field
            self.text = text
            self.marks = marks
        }
    }

    public var item: TimelineItem
    public var snippets: [Snippet]

    public init(item: TimelineItem, snippets: [Snippet]) {
        self.item = item
        self.snippets = snippets
    }

    enum CodingKeys: String, CodingKey { case snippets }

    // One flat object: an item of the timeline, and `snippets` beside its keys.
    public init(from decoder: any Decoder) throws {
        item = try TimelineItem(from: decoder)
        snippets = try decoder.container(keyedBy: CodingKeys.self).decode([Snippet].self, forKey: .snippets)
    }

    public func encode(to encoder: any Encoder) throws {
        try item.encode(to: encoder)
        var container = encoder.container(keyedBy: CodingKeys.self)
        try container.encode(snippets, forKey: .snippets)
    }
}

public struct SearchResponse: Codable, Sendable, Equatable {
    public var success: Bool
    /// The best first.
    public var items: [SearchItem]
    public var pagination: Pagination

    public init(items: [SearchItem], pagination: Pagination) {
        success = true
        self.items = items
        self.pagination = pagination
    }
}
