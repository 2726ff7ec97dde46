package import Core

/// Makes and reads cursors: the sort key of a page's last row, signed together with the list's name and scope, so that clients cannot forge
/// them.
package struct Cursors: Sendable {
    private let signer: Signer

    package init(signer: Signer) { self.signer = signer }

    package static let unreadable = Problem(.invalid, "The cursor is invalid or belongs to another list.", field: "cursor")

    /// - Parameters:
    ///   - key: the sort key of the last row of the page.
    ///   - purpose: the list's name.
    ///   - scope: the list's owner and its filters. A cursor of one list is invalid for another.
    package func make(_ key: [String], purpose: String, scope: [String]) -> String {
        let payload = key.joined(separator: "\u{1F}")
        return Base64URL.encode(signer.sign([payload] + scope, purpose: "cursor." + purpose) + Array(payload.utf8))
    }

    /// - Throws: `.invalid` unless `make` made it for the same purpose and scope.
    package func open(_ cursor: String, purpose: String, scope: [String], count: Int) throws -> [String] {
        guard cursor.utf8.count <= 1_024, let bytes = Base64URL.decode(cursor), bytes.count > 16,
            let payload = String(validating: bytes.dropFirst(16), as: UTF8.self),
            signer.isGenuine(Array(bytes.prefix(16)), of: [payload] + scope, purpose: "cursor." + purpose)
        else { throw Self.unreadable }
        let key = payload.split(separator: "\u{1F}", omittingEmptySubsequences: false).map(String.init)
        guard key.count == count else { throw Self.unreadable }
        return key
    }
}
