import Core
package import Database

/// Limits of a page of a list: the number of rows, and the bytes of their texts.
package enum PageSize {
    /// Maximum bytes of the texts of one page. A page shows at least one row, even if that row alone is longer. As JSON, the texts may take
    /// more bytes: a control character takes six. If the JSON is too long, the page is made again with a lower limit.
    package static let byteCount: Int64 = 2 << 20
    /// The lowest limit. As JSON, so many bytes of texts always fit in an account's share, also where a response contains each text twice.
    static let leastByteCount: Int64 = byteCount / 16

    /// Maximum bytes of the texts of the page that the current request makes: `byteCount`, or less if the JSON of the page was too long
    /// (`WebContext.shorteningPage`). A list compares with this limit.
    package static var currentByteCount: Int64 { (Requester.source as? RequestRecord)?.pageByteCount ?? byteCount }

    /// Maximum length of the JSON that the current request makes, in bytes: a limit only for a page that can be made again with fewer rows,
    /// and only if its JSON may exceed the limit.
    static var mostJSONByteCount: Int { (Requester.source as? RequestRecord)?.mostJSONByteCount ?? .max }

    /// Notes the page that the current request makes. Without this, a page whose JSON is too long is not made again. `Page(inBytes:)` calls
    /// it; a list that limits its page in another way must call it, too.
    /// - Parameters:
    ///   - byteCount: the length of the page's texts.
    ///   - rowCount: the number of rows of the page.
    package static func note(byteCount: Int64, rowCount: Int) {
        (Requester.source as? RequestRecord)?.update { $0.page = MadePage(byteCount: byteCount, rowCount: rowCount) }
    }

    /// - Parameter limit: as the client sent it; default 20.
    /// - Throws: `.invalid` naming `limit` unless it is 1…100.
    package static func read(_ limit: Int?) throws -> Int {
        guard let limit else { return 20 }
        guard 1...100 ~= limit else { throw Problem(.invalid, "limit must be 1…100.", field: "limit") }
        return limit
    }

    /// Reads the `limit` of surface 1: 1…50, default 10; more than 50 means 50.
    /// - Throws: `.invalid` naming `limit` when it is below 1.
    package static func readUpTo50(_ limit: Int?) throws -> Int {
        guard let limit else { return 10 }
        guard limit >= 1 else { throw Problem(.invalid, "limit must be 1 or more.", field: "limit") }
        return min(limit, 50)
    }
}

/// A page that a request has made.
struct MadePage: Sendable {
    /// The length of its texts.
    let byteCount: Int64
    let rowCount: Int

    /// Whether the JSON may be longer than `most` bytes. A character may take six bytes, and a response may contain each text twice.
    func mayExceed(_ most: Int) -> Bool { byteCount > Int64(most) / 12 }

    /// Whether a lower limit than this would make the page shorter.
    func mayBeShorter(than limit: Int64) -> Bool { rowCount > 1 && limit > PageSize.leastByteCount }

    /// The limit with which to make the page again if its JSON is too long.
    /// - Parameters:
    ///   - limit: the limit that the page had, in bytes of texts.
    ///   - jsonByteCount: the length of its JSON.
    ///   - most: the longest JSON that fits.
    /// - Returns: `nil` if a lower limit would not make the page shorter.
    func shorterLimit(than limit: Int64, jsonByteCount: Int, most: Int) -> Int64? {
        guard mayBeShorter(than: limit), jsonByteCount > 0 else { return nil }
        // The second page gets a quarter less than the first one suggests, because its rows may need more escapes than the average row. If
        // it is still too long, the third one fits in any case.
        guard limit == PageSize.byteCount else { return PageSize.leastByteCount }
        return max(PageSize.leastByteCount, byteCount * Int64(most) / Int64(jsonByteCount) / 4 * 3)
    }
}

extension Page {
    /// Makes a page that ends before `limit` rows if the next row would make its texts longer than `PageSize.currentByteCount`. A page
    /// shows at least one row.
    /// - Parameters:
    ///   - read: the rows from the beginning of the page, in order: at least `limit + 1`, unless no more rows follow, or the texts of
    ///     these rows are longer than `PageSize.currentByteCount`.
    ///   - limit: maximum number of rows of the page, 1 or more.
    ///   - byteCount: the approximate length of a row's texts.
    package init(inBytes read: [Element], limit: Int, byteCount: (Element) -> Int64, key: (Element) -> Key) {
        let most = PageSize.currentByteCount
        var (total, count): (Int64, Int) = (0, 0)
        for row in read.prefix(limit) {
            let length = byteCount(row)
            guard count == 0 || total + length <= most else { break }
            (total, count) = (total + length, count + 1)
        }
        PageSize.note(byteCount: total, rowCount: count)
        guard count < read.count else {
            self.init(rows: read, next: nil)
            return
        }
        self.init(rows: Array(read[..<count]), next: key(read[count - 1]))
    }
}
