import Core
import Database
import Testing

@testable import Web

@Suite("Pages that are too long")
struct PageSizeTests {
    /// The longest JSON that fits.
    private static let most = 4 << 20

    /// Makes a page of rows that all have the same length, on behalf of a request.
    private static func page(_ record: RequestRecord, _ rows: [Int], of byteCount: Int64) -> Page<Int, Int> {
        Requester.$source.withValue(record) { Page(inBytes: rows, limit: 100, byteCount: { _ in byteCount }, key: { $0 }) }
    }

    @Test("a page whose JSON is too long is made again with fewer rows, and its cursor continues after its last row")
    func shorter() {
        let (record, rows) = (RequestRecord(), Array(0..<200))
        let first = Self.page(record, rows, of: 40_000)
        #expect(first.rows.count == 52)
        // Each byte of the texts takes six bytes.
        #expect(record.shortenPage(jsonByteCount: 52 * 240_000, most: Self.most))
        let second = Self.page(record, rows, of: 40_000)
        #expect(second.rows.count == 13 && second.next == 12)
        // The texts of these rows take even more. The last page has at most 128 KiB of texts.
        #expect(record.shortenPage(jsonByteCount: Self.most + 1, most: Self.most))
        let third = Self.page(record, rows, of: 40_000)
        #expect(third.rows.count == 3 && third.next == 2)
        #expect(!record.shortenPage(jsonByteCount: Self.most + 1, most: Self.most))
        // The limit belongs to the request alone.
        #expect(Self.page(RequestRecord(), rows, of: 40_000).rows.count == 52)
    }

    @Test("a page of one row, and a response that shows no page, are not made again")
    func single() {
        let record = RequestRecord()
        #expect(!record.shortenPage(jsonByteCount: 2 * Self.most, most: Self.most))
        #expect(Self.page(record, [0, 1, 2], of: 3_000_000).rows == [0])
        #expect(!record.shortenPage(jsonByteCount: 2 * Self.most, most: Self.most))
    }

    @Test("a page ends before the row that would make it too long, and the last one has no cursor", arguments: [1, 2, 100])
    func ends(_ limit: Int) {
        let half = PageSize.byteCount / 2
        let page = Page(inBytes: [1, 2, 3], limit: limit, byteCount: { _ in half }, key: { $0 })
        #expect(page.rows == Array([1, 2].prefix(limit)) && page.next == min(limit, 2))
        let last = Page(inBytes: [1, 2], limit: 100, byteCount: { _ in half }, key: { $0 })
        #expect(last.rows == [1, 2] && last.next == nil)
        #expect(Page(inBytes: [Int](), limit: 100, byteCount: { _ in half }, key: { $0 }).rows.isEmpty)
    }
}
