/// A list that the server sends page by page. `for try await item in …` requests the next page after the last item of the current one.
public struct Pages<Item: Sendable>: AsyncSequence, Sendable {
    public struct Page: Sendable {
        /// In some lists, a page before the last one can be empty; see the list's documentation.
        public var items: [Item]
        /// `nil` on the last page.
        public var nextCursor: String?

        public init(items: [Item], nextCursor: String?) {
            self.items = items
            self.nextCursor = nextCursor
        }
    }

    public typealias Element = Item

    private let read: @Sendable (_ cursor: String?) async throws -> Page

    init(_ read: @escaping @Sendable (_ cursor: String?) async throws -> Page) { self.read = read }

    /// Requests one page.
    /// - Parameter cursor: `nextCursor` of the previous page; `nil` for the first.
    public func page(after cursor: String? = nil) async throws -> Page { try await read(cursor) }

    public func makeAsyncIterator() -> Iterator { Iterator(read) }

    public struct Iterator: AsyncIteratorProtocol {
        private let read: @Sendable (String?) async throws -> Page
        private var items: [Item].Iterator = [].makeIterator()
        private var cursor: String?
        private var isAtEnd = false

        init(_ read: @escaping @Sendable (String?) async throws -> Page) { self.read = read }

        public mutating func next() async throws -> Item? {
            while true {
                if let item = items.next() { return item }
                if isAtEnd { return nil }
                let page = try await read(cursor)
                // If the cursor stays the same, the loop would request the same page forever.
                guard page.nextCursor == nil || page.nextCursor != cursor else {
                    throw KeepsakeError(.invalidResponse, "The list does not go on: the next page has the cursor of this one.")
                }
                items = page.items.makeIterator()
                cursor = page.nextCursor
                isAtEnd = page.nextCursor == nil
            }
        }
    }
}
