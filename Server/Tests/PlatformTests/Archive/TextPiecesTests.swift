import NIOCore
import Testing

@testable import Web

@Suite("Texts in an archive")
struct TextPiecesTests {
    @Test("a text is written in buffers of at most 32 KB, which together are the text")
    func pieces() {
        // Characters of two and four bytes cross the ends of buffers.
        let text = "a" + String(repeating: "ä🌅", count: 30_000)
        let pieces = Array(TextPieces(text))
        #expect(pieces.map(\.readableBytes) == [Int](repeating: 32_768, count: 5) + [16_161])
        #expect(pieces.flatMap { Array($0.readableBytesView) } == Array(text.utf8))
        #expect(Array(TextPieces("")).isEmpty && TextPieces(String(repeating: "x", count: 32_768)).map(\.readableBytes) == [32_768])
    }
}
