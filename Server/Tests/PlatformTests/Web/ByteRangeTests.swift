import Testing
import Web

@Suite("Byte ranges")
struct ByteRangeTests {
    @Test(
        "a Range header is parsed as RFC 9110 says",
        arguments: [
            (nil, ByteRange.whole), ("bytes=0-", .part(0..<10)), ("bytes=0-0", .part(0..<1)), ("bytes=3-5", .part(3..<6)),
            ("bytes=9-", .part(9..<10)),
            ("bytes=9-9", .part(9..<10)), ("bytes=0-99", .part(0..<10)), ("bytes=-1", .part(9..<10)), ("bytes=-99", .part(0..<10)),
            ("Bytes=1-2", .part(1..<3)), ("bytes= 1-2 ", .part(1..<3)), ("bytes=0-9223372036854775807", .part(0..<10)),
            ("bytes=5-99999999999999999999999", .part(5..<10)), ("bytes=10-", .unsatisfiable), ("bytes=-0", .unsatisfiable),
            ("bytes=99999999999999999999-", .unsatisfiable), ("bytes=5-3", .whole), ("bytes=1-2,4-5", .whole), ("bytes=", .whole),
            ("bytes=-", .whole),
            ("bytes=a-b", .whole), ("bytes=1", .whole), ("bytes=--1", .whole), ("bytes=+1-2", .whole), ("lines=1-2", .whole),
            ("nonsense", .whole),
        ] as [(String?, ByteRange)])
    func meanings(header: String?, expected: ByteRange) {
        #expect(ByteRange.parse(header, byteCount: 10) == expected)
    }

    @Test("an empty file has no satisfiable range")
    func empty() {
        #expect(ByteRange.parse("bytes=0-", byteCount: 0) == .unsatisfiable)
        #expect(ByteRange.parse("bytes=-5", byteCount: 0) == .unsatisfiable)
        #expect(ByteRange.parse(nil, byteCount: 0) == .whole)
    }
}
