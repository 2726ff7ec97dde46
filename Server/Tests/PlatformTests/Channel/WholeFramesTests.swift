import NIOCore
import Testing

@testable import HTTPServer

@Suite("Whole frames of HTTP/2")
struct WholeFramesTests {
    @Test("NIO's parser gets whole frames, except in the preface and in long DATA frames")
    func wholeFrames() {
        let bytes = HTTP2GateTests.frames.flatMap(\.bytes)
        var stops = Set(1...HTTP2GateTests.preface.count)
        var end = 0
        for frame in HTTP2GateTests.frames {
            let start = end
            end += frame.bytes.count
            stops.insert(end)
            // The piece of a long DATA frame begins after its head.
            if frame.bytes.count == 9 + 512 { stops.formUnion(start + 9...end) }
        }
        for size in 1...bytes.count {
            var (heads, frames, passed, wrong) = (FrameHeads(), WholeFrames(), [UInt8](), 0)
            for start in stride(from: 0, to: bytes.count, by: size) {
                let piece = ByteBuffer(bytes: bytes[start..<min(start + size, bytes.count)])
                _ = heads.count(in: piece)
                guard let whole = frames.pass(piece, begunByteCount: heads.begunByteCount) else { continue }
                passed += whole.readableBytesView
                if !stops.contains(passed.count) { wrong += 1 }
            }
            #expect(wrong == 0 && passed == bytes, "in pieces of \(size) bytes")
        }
    }

    @Test("a frame that arrives byte by byte stays in one buffer, which is at most twice as large as the bytes in it")
    func byteByByte() {
        // A HEADERS frame with the longest payload that the server accepts.
        let bytes = HTTP2GateTests.preface + [0, 0x40, 0, 1, 4, 0, 0, 0, 1] + [UInt8](repeating: 1, count: 16_384)
        var (heads, frames, passed) = (FrameHeads(), WholeFrames(), [UInt8]())
        var (moveCount, tooLargeCount) = (0, 0)
        var start: UnsafeRawPointer?
        for byte in bytes {
            let piece = ByteBuffer(bytes: [byte])
            _ = heads.count(in: piece)
            if let whole = frames.pass(piece, begunByteCount: heads.begunByteCount) { passed += whole.readableBytesView }
            guard let kept = frames.begun else { continue }
            let now = kept.withVeryUnsafeBytes { $0.baseAddress }
            if now != start { moveCount += 1 }
            start = now
            if kept.storageCapacity > max(64, 2 * kept.readableBytes) { tooLargeCount += 1 }
        }
        #expect(moveCount < 32 && tooLargeCount == 0 && passed == bytes, "\(moveCount) \(tooLargeCount)")
    }
}
