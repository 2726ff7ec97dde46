import HTTPTypes

/// Surface 0: full-text search in everything that the user wrote or said.
public enum SearchEndpoints {
    public static let search = Endpoint<SearchInput, SearchResponse>(
        .get, "/api/users/user/{userId}/search", surface: .multimedia)
}

public struct SearchInput: Codable, Sendable {
    public var userId: String
    /// Words. A result contains all of them. Accents and case do not matter. The last word may be only the beginning of a word.
    public var q: String
    /// Only results of this kind: `mood`, `memory`, `event`, `capsule`, `file`, `capture`.
    public var kind: String?
    /// 1…100, default 20.
    public var limit: Int?
    /// `nextCursor` of the previous page.
    public var cursor: String?

    public init(userId: String, q: String, kind: String? = nil, limit: Int? = nil, cursor: String? = nil) {
        self.userId = userId
        self.q = q
        self.kind = kind
        self.limit = limit
        self.cursor = cursor
    }
}

/// One search result, with excerpts around the words.
public struct SearchItem: Codable, Sendable, Equatable {
    /// An excerpt of a text. It is plain text, not HTML: `marks` has the positions of the words.
    public struct Snippet: Codable, Sendable, Equatable {
        /// The name of the text: `mood`, `title`, `note`, `reason`, `description`, `location`, `tags`, `interests`, `transcript` or `name`.
        public var field: String
        public var text: String
        /// The matching words in `text`: offset and length, in Unicode scalars.
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

    // The JSON is one flat object: the keys of a timeline item, and `snippets`.
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
    /// The results, the best match first.
    public var items: [SearchItem]
    public var pagination: Pagination

    public init(items: [SearchItem], pagination: Pagination) {
        success = true
        self.items = items
        self.pagination = pagination
    }
}
