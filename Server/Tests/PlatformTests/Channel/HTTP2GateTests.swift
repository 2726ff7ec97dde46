import Core
import Foundation
import NIOCore
import NIOPosix
import TestKit
import TestThreads
import Testing

@testable import HTTPServer

@Suite("HTTP/2 streams that wait for their turn", .serialized, .blocksThreads)
struct HTTP2GateTests {
    private static func frame(_ type: UInt8, _ stream: UInt32, _ byteCount: Int = 0) -> [UInt8] {
        [0, UInt8(byteCount >> 8), UInt8(byteCount & 0xFF), type, 0] + RawHTTP2.bytes(stream) + [UInt8](repeating: 1, count: byteCount)
    }

    @Test("frames that open streams are counted where they end, whatever pieces the bytes arrive in")
    func heads() {
        // Each with the number of streams opened by then. The payloads look like heads of HEADERS frames.
        let frames: [(bytes: [UInt8], count: Int)] = [
            (Array("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n".utf8), 0), (Self.frame(RawHTTP2.settings, 0), 0),
            (Self.frame(RawHTTP2.headers, 1, 300), 1), (Self.frame(RawHTTP2.data, 1, 20), 1),
            // The reserved bit is set.
            (Self.frame(RawHTTP2.headers, 0x8000_0003), 2),
            (Self.frame(RawHTTP2.headers, 1, 5), 2), (Self.frame(RawHTTP2.ping, 0, 8), 2), (Self.frame(RawHTTP2.headers, 7, 1), 3),
            (Self.frame(9, 7, 2), 4), (Self.frame(RawHTTP2.windowUpdate, 5, 4), 4), (Self.frame(RawHTTP2.headers, 5, 4), 4),
        ]
        let bytes = frames.flatMap(\.bytes)
        var ends: [Int: Int] = [:]
        var end = 0
        for frame in frames {
            end += frame.bytes.count
            ends[end] = frame.count
        }
        for size in 1...bytes.count {
            var (heads, count, wrong) = (FrameHeads(), 0, 0)
            for start in stride(from: 0, to: bytes.count, by: size) {
                let stop = min(start + size, bytes.count)
                count += heads.streamCount(in: ByteBuffer(bytes: bytes[start..<stop]))
                if let expected = ends[stop], expected != count { wrong += 1 }
            }
            #expect(wrong == 0, "in pieces of \(size) bytes")
        }
    }

    @Test("connections that open a hundred streams each at the same moment get all responses, also to uploads whose rest has to wait")
    func atOnce() async throws {
        var limits = ChannelLimits()
        limits.openStreams = SharedBudget.Limits(total: 100_000, perAccount: .max, perNetwork: 100_000)
        limits.connectionsPerAddress = 10_000
        try await ChannelServer.run(limits) { server in
            let loops = Array(MultiThreadedEventLoopGroup.singleton.makeIterator())
            let clients = try (0..<8 * loops.count).map { _ in try RawHTTP2(port: server.port) }
            // Meanwhile all requests arrive, and the loops find them in one pass.
            for loop in loops { loop.execute { Thread.sleep(forTimeInterval: 0.1) } }
            let streams = (0..<100).map { UInt32(2 * $0 + 1) }
            // POST /count and GET / in few bytes, so that one read brings many (RFC 7541 appendix A).
            let upload: [UInt8] = [0x83, 0x86, 4, 6] + Array("/count".utf8) + [1, 1, 0x61]
            for client in clients {
                try client.together {
                    try client.send(RawHTTP2.headers, flags: 4, stream: 1, payload: upload)
                    for stream in streams.dropFirst() {
                        try client.send(RawHTTP2.headers, flags: 5, stream: stream, payload: [0x82, 0x86, 0x84, 1, 1, 0x61])
                    }
                    try client.body(1, [1, 2, 3], ends: true)
                    try client.send(RawHTTP2.ping, payload: [1, 2, 3, 4, 5, 6, 7, 8])
                }
            }
            for client in clients {
                var (answered, refusedCount, pingCount): (Set<UInt32>, Int, Int) = ([], 0, 0)
                while answered.count < streams.count || pingCount == 0 {
                    let frame = try client.next()
                    switch frame.type {
                    case RawHTTP2.headers: answered.insert(frame.stream)
                    case RawHTTP2.reset where frame.errorCode != 0:
                        answered.insert(frame.stream)
                        refusedCount += 1
                    case RawHTTP2.ping where frame.flags == 1: pingCount += 1
                    case RawHTTP2.ping: try client.send(RawHTTP2.ping, flags: 1, payload: frame.payload)
                    default: break
                    }
                }
                #expect(answered == Set(streams) && refusedCount == 0)
            }
        }
    }
}
