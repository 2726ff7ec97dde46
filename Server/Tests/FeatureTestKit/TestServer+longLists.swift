import Blobs
import Core
import Database
import Foundation
import Testing

/// Functions for the tests of lists with long texts.
extension TestServer {
    /// Reads all pages of a list, each of which must end at 2 MB.
    /// - Parameters:
    ///   - list: the list's path after `/api/users/user/{userId}/`, with a query, but without a cursor.
    ///   - key: the member of the response that contains the entries.
    ///   - id: returns the id of an entry.
    /// - Returns: the ids of each page.
    func longPages(
        of list: String, _ key: String, as person: Person, id: ([String: Any]) -> String?
    ) async throws -> [[String]] {
        var pages: [[String]] = []
        var cursor: String?
        repeat {
            let path = moments(person, list + (cursor.map { "&cursor=\($0)" } ?? ""))
            let answer = try await send("GET", path, as: person)
            try #require(answer.status == 200, "\(answer.text.prefix(200))")
            #expect(answer.body.count < 2_300_000, "\(list)")
            let json = try answer.json()
            pages.append(try #require(json[key] as? [[String: Any]]).compactMap(id))
            cursor = (json["pagination"] as? [String: Any])?["nextCursor"] as? String
        } while cursor != nil && pages.count < 10
        return pages
    }
}

extension BlobKey {
    /// Inserts a row for a file of one byte, but no file.
    static func insert(owner: String, _ tx: WriteTransaction) throws -> BlobKey {
        let key = BlobKey(entropy: .system)
        try tx.run(
            """
            INSERT INTO blob (key, owner, sha256, byte_count, refs, state, created_at)
            VALUES (\(key), \(owner), \(String(repeating: "0", count: 64)), 1, 1, 'live', 1)
            """)
        return key
    }
}
