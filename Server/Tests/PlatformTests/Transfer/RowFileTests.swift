import Database
import Foundation
import TestKit
import Testing

@testable import Transfer

@Suite("Row files")
struct RowFileTests {
    private static let rows: [[SQLValue]] = [
        [.null, .integer(.min), .real(-0.0), .text(""), .bytes([])],
        [.text("ä\u{1F600}\n\u{7F}"), .integer(.max), .real(.infinity), .text(String(repeating: "x", count: 700_000)), .bytes([0, 255])],
        [.integer(0), .null, .real(1.5), .null, .bytes(Array(repeating: 7, count: 300_000))],
    ]

    @Test("Rows are read back as they were written, in pages, and have the same hash again")
    func roundTrip() throws {
        let folder = try TemporaryFolder()
        let path = folder.path + "/a.rows"
        let hashes = try (0..<2).map { _ in
            var writer = try RowWriter(path)
            for row in Self.rows { try writer.append(row) }
            let hash = try writer.finish()
            #expect(writer.rowCount == 3)
            let byteCount = try LocalFile.byteCount(path)
            #expect(byteCount == writer.byteCount)
            return hash
        }
        #expect(hashes[0] == hashes[1])
        var reading = try RowReading(path, columnCount: 5)
        var read: [[SQLValue]] = []
        while case let page = try reading.page(2), !page.isEmpty { read += page }
        #expect(read == Self.rows)
        // Zero and negative zero are different values, and so are a text and a blob with the same bytes.
        func hash(_ value: SQLValue) throws -> String {
            var writer = try RowWriter(nil)
            try writer.append([value])
            return try writer.finish()
        }
        let different = Set(try [SQLValue.real(0), .real(-0.0), .text("a"), .bytes([97]), .null, .text(""), .integer(0)].map(hash))
        #expect(different.count == 7)
    }

    @Test("A file that was cut anywhere, or whose bytes changed, is refused or read as other rows, and never crashes")
    func damaged() throws {
        let folder = try TemporaryFolder()
        let path = folder.path + "/a.rows"
        var writer = try RowWriter(path)
        for number in 0..<4 { try writer.append([.integer(Int64(number)), .text("row \(number)"), .bytes([1, 2, 3])]) }
        _ = try writer.finish()
        let whole = try Data(contentsOf: URL(filePath: path))
        func read(_ bytes: Data) throws -> Int {
            try bytes.write(to: URL(filePath: path))
            var reading = try RowReading(path, columnCount: 3)
            var count = 0
            while case let page = try reading.page(10), !page.isEmpty { count += page.count }
            return count
        }
        let length = whole.count / 4
        for end in 0..<whole.count where end % length != 0 {
            #expect(throws: TransferFailure.self) { _ = try read(whole.prefix(end)) }
        }
        var generator = SplitMix64(seed: 1)
        for _ in 0..<300 {
            var bytes = whole
            bytes[Int.random(in: 0..<bytes.count, using: &generator)] = UInt8.random(in: 0...255, using: &generator)
            _ = try? read(bytes)
        }
    }
}
