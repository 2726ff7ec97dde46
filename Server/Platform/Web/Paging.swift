internal import Core
package import Database

/// A sort key that a cursor carries.
package protocol CursorKey: Sendable {
    static var partCount: Int { get }
    /// `partCount` texts; none may contain U+001F.
    var cursorParts: [String] { get }
    /// - Parameter parts: `partCount` texts.
    /// - Returns: `nil` when the texts are not a valid key.
    init?(cursorParts parts: [String])
}

/// Reads which page of a list a request asks for, and makes the cursor of the next page.
package struct Paging<Key: CursorKey>: Sendable {
    package private(set) var request: PageRequest<Key>
    private let list: String
    private let scope: [String]
    private let cursors: Cursors

    /// - Parameters:
    ///   - list: the list's name. A cursor of one list is invalid for another.
    ///   - scope: the list's owner and its filters. A cursor of one scope is invalid for another.
    ///   - cursor: as the client sent it; `nil` for the first page.
    ///   - limit: rows of a page, checked by `PageSize`.
    /// - Throws: `Cursors.unreadable` unless this server made `cursor` for the same list and scope.
    package init(_ list: String, of scope: [String], after cursor: String?, limit: Int, _ cursors: Cursors) throws {
        let key = try cursor.map { cursor in
            guard let key = Key(cursorParts: try cursors.open(cursor, purpose: list, scope: scope, count: Key.partCount)) else {
                throw Cursors.unreadable
            }
            return key
        }
        request = PageRequest(after: key, limit: limit)
        self.list = list
        self.scope = scope
        self.cursors = cursors
    }

    /// Also accepts the plain id of the last row in place of a cursor, as the clients of surface 1 send it.
    /// - Parameter key: the sort key of the row with this id in this list; `nil` when the list has no such row.
    /// - Throws: `Cursors.unreadable` when `cursor` is neither a cursor of this list and scope nor the id of such a row.
    package init(
        _ list: String, of scope: [String], after cursor: String?, limit: Int, _ cursors: Cursors,
        orRow key: (_ id: String) async throws -> Key?
    ) async throws {
        do {
            try self.init(list, of: scope, after: cursor, limit: limit, cursors)
        } catch let problem as Problem {
            guard let cursor, (1...128).contains(cursor.utf8.count), !cursor.utf8.contains(0), let key = try await key(cursor) else {
                throw problem
            }
            try self.init(list, of: scope, after: nil, limit: limit, cursors)
            request = PageRequest(after: key, limit: limit)
        }
    }

    /// - Parameter next: `Page.next`.
    /// - Returns: the cursor of the next page; `nil` when there is no next page.
    package func cursor(_ next: Key?) -> String? { next.map { cursors.make($0.cursorParts, purpose: list, scope: scope) } }
}

extension TimeKey: CursorKey {
    package static let partCount = 2

    package var cursorParts: [String] { [String(at.microseconds), id] }

    package init?(cursorParts parts: [String]) {
        guard let microseconds = Int64(parts[0]) else { return nil }
        self.init(at: Timestamp(microseconds: microseconds), id: parts[1])
    }
}
