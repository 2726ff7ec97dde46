import NIOCore
import Testing

@testable import Web

@Suite("Texts in an archive")
struct TextPiecesTests {
    @Test("a text is written in buffers of at most 64 KB, which together are the text")
    func pieces() {
        // Characters of two and four bytes cross the ends of buffers.
        let text = "a" + String(repeating: "ä🌅", count: 30_000)
        let pieces = Array(TextPieces(text))
        #expect(pieces.map(\.readableBytes) == [65_536, 65_536, 48_929])
        #expect(pieces.flatMap { Array($0.readableBytesView) } == Array(text.utf8))
        #expect(Array(TextPieces("")).isEmpty && TextPieces(String(repeating: "x", count: 65_536)).map(\.readableBytes) == [65_536])
    }
}
