import Core
import Foundation
import NIOCore
import TestKit
import TestThreads
import Testing

@testable import Web

@Suite("ZIP archives", .blocksThreads)
struct ZipWriterTests {
    private static let time = Timestamp(seconds: 1_780_315_200)

    /// - Parameter isKnown: whether the writer gets the length of each entry in advance.
    private func archive(_ entries: [(String, [UInt8])], _ zip: ZipWriter = ZipWriter(), isKnown: Bool = true) throws -> Data {
        var zip = zip
        var all = ByteBuffer()
        func write(_ buffer: ByteBuffer) { all.writeImmutableBuffer(buffer) }
        for (name, bytes) in entries {
            write(zip.begin(name, byteCount: isKnown ? Int64(bytes.count) : nil, modifiedAt: Self.time))
            // Two chunks of odd lengths.
            for piece in [bytes.prefix(bytes.count / 3), bytes.dropFirst(bytes.count / 3)] {
                let buffer = ByteBuffer(bytes: piece)
                zip.add(buffer)
                write(buffer)
            }
            write(try zip.end())
        }
        while let piece = zip.nextOfDirectory() { write(piece) }
        return Data(all.readableBytesView)
    }

    /// Reads the archive with two other implementations.
    private func read(_ data: Data) throws -> [String: [UInt8]] {
        let folder = try TemporaryFolder()
        let path = folder.path + "/a.zip"
        try data.write(to: URL(filePath: path))
        try Tool.run("unzip", ["-tqq", path])
        let script = """
            import sys, zipfile, base64
            with zipfile.ZipFile(sys.argv[1]) as z:
                assert z.testzip() is None
                for e in z.infolist():
                    assert e.date_time == (2026, 6, 1, 12, 0, 0), e.date_time
                    print(base64.b64encode(e.filename.encode()).decode(), base64.b64encode(z.read(e)).decode() or '-')
            """
        let lines = try Tool.run("python3", ["-c", script, path]).split(separator: "\n").map { $0.split(separator: " ") }
        return Dictionary(
            uniqueKeysWithValues: lines.map { line in
                let name = String(decoding: Data(base64Encoded: String(line[0])) ?? Data(), as: UTF8.self)
                return (name, line[1] == "-" ? [] : [UInt8](Data(base64Encoded: String(line[1])) ?? Data()))
            })
    }

    private static let entries: [(String, [UInt8])] = [
        ("README.txt", Array("hello".utf8)), ("files/Grüße 🌅 日本.jpg", (0..<100_003).map { UInt8(truncatingIfNeeded: $0 &* 31 >> 3) }),
        ("data/empty.json", []), ("data/one", [0]),
    ]

    @Test("other programs read the archive back: names in any script, lengths known in advance or not", arguments: [true, false])
    func plain(_ isKnown: Bool) throws {
        let back = try read(archive(Self.entries, isKnown: isKnown))
        #expect(back == Dictionary(uniqueKeysWithValues: Self.entries))
    }

    @Test("an archive beyond the 32-bit limits is ZIP64 and reads back unchanged", arguments: [0, 1, 1_000, 100_003, 150_000] as [UInt64])
    func large(_ limit: UInt64) throws {
        let data = try archive(Self.entries, ZipWriter(limit: limit, countLimit: 3))
        let back = try read(data)
        #expect(back == Dictionary(uniqueKeysWithValues: Self.entries))
        #expect(data.range(of: Data([0x50, 0x4B, 6, 6])) != nil && data.range(of: Data([0x50, 0x4B, 6, 7])) != nil)
    }

    @Test("archives with many entries and with none read back")
    func many() throws {
        let entries = (0..<1_700).map { ("files/\($0)", Array("\($0)".utf8)) }
        let back = try read(archive(entries))
        #expect(back == Dictionary(uniqueKeysWithValues: entries))
        let nothing = try archive([])
        #expect(nothing.count == 22 && nothing.starts(with: [0x50, 0x4B, 5, 6]))
    }

    @Test("an entry that outgrows the fields of its header is refused")
    func outgrown() throws {
        var zip = ZipWriter(limit: 10)
        _ = zip.begin("a", byteCount: nil, modifiedAt: Self.time)
        zip.add(ByteBuffer(repeating: 1, count: 10))
        #expect(throws: Problem.self) { try zip.end() }
    }

    @Test("MS-DOS times are in UTC and clamped to the years that MS-DOS can store")
    func times() {
        func parts(_ seconds: Int64) -> [Int] {
            let (date, time) = ZipWriter.dosTime(Timestamp(seconds: seconds))
            return [1980 + Int(date >> 9), Int(date >> 5 & 15), Int(date & 31), Int(time >> 11), Int(time >> 5 & 63), Int(time & 31) * 2]
        }
        #expect(parts(1_780_315_201) == [2026, 6, 1, 12, 0, 0])
        #expect(parts(1_709_251_199) == [2024, 2, 29, 23, 59, 58])
        #expect(parts(0) == [1980, 1, 1, 0, 0, 0])
        #expect(parts(9_999_999_999) == [2107, 12, 31, 23, 59, 58])
    }
}
