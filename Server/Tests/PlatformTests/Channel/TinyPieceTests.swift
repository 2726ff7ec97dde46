import NIOCore
import TestKit
import TestThreads
import Testing

@testable import HTTPServer
@testable import Web

@Suite("Bodies in tiny chunks", .blocksThreads)
struct TinyPieceTests {
    private func chunks(_ count: Int, of size: Int) -> String {
        String(repeating: String(size, radix: 16) + "\r\n" + String(repeating: "x", count: size) + "\r\n", count: count)
    }

    @Test("a body in a million chunks of one byte is refused after a thousand; a body in slightly larger chunks is accepted")
    func chunks() async throws {
        try await ChannelServer.run { server in
            let head = "POST /count HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n"
            let hostile = try RawConnection(port: server.port)
            try hostile.send(head + chunks(2_000, of: 1))
            let refused = try hostile.answer()
            #expect(refused.status == 400)
            #expect(refused.text.contains("chunks of the body are too small"))
            for (count, size) in [(900, 1), (2_000, 16), (500, 5_000)] {
                let honest = try RawConnection(port: server.port)
                try honest.send(head + chunks(count, of: size) + "0\r\n\r\n")
                let answer = try honest.answer()
                #expect(answer.status == 200)
                #expect(answer.text == "\(count * size)")
            }
        }
    }

    @Test("the same limit applies to HTTP/2 frames")
    func frames() async throws {
        try await ChannelServer.run { server in
            let hostile = try RawHTTP2(port: server.port)
            try hostile.request(1, "POST", "/count", ends: false)
            for _ in 0..<2_000 { try hostile.send(RawHTTP2.data, stream: 1, payload: [0x78]) }
            let head = try hostile.frame { $0.stream == 1 && $0.type == RawHTTP2.headers }
            #expect(!head.payload.isEmpty)
            let body = try hostile.frame { $0.stream == 1 && $0.type == RawHTTP2.data }.payload
            #expect(String(decoding: body, as: UTF8.self).contains("DATA frames of the body are too small"))
        }
    }

    @Test("small chunks of one read are joined, large ones are not copied, and the order is kept")
    func joined() {
        var pieces = JoinedPieces()
        var out: [ByteBuffer] = []
        for piece in ["a", "b", String(repeating: "L", count: JoinedPieces.largeByteCount), "c"] {
            let ready = pieces.add(ByteBuffer(string: piece))
            out += [ready.first, ready.second].compactMap { $0 }
        }
        out += [pieces.take()].compactMap { $0 }
        #expect(out.map(\.readableBytes) == [2, JoinedPieces.largeByteCount, 1])
        #expect(pieces.take() == nil)
    }

    @Test("a piece does not keep a much larger buffer in memory", arguments: [2_048, 20_000, 32_768, 40_000])
    func unusedMemory(byteCount: Int) throws {
        var buffer = ByteBufferAllocator().buffer(capacity: 65_536)
        buffer.writeRepeatingByte(7, count: 65_536)
        let slice = buffer.readSlice(length: byteCount)
        let piece = try #require(slice)
        var pieces = JoinedPieces()
        let ready = pieces.add(piece)
        let passed = try #require(ready.second)
        #expect(passed == piece)
        #expect((passed.storageCapacity < 65_536) == (byteCount <= 32_768))
    }
}
