import Core
import HTTPTypes
import Hummingbird
import NIOCore
import TestThreads
import Testing

@testable import HTTPServer
@testable import Web

@Suite("Time in which the server does not read from an HTTP/2 connection", .serialized, .blocksThreads, .runsBesideFew)
struct ClientClockTests {
    @Test("the clock stands still while there is a reason for a pause, however often it is given")
    func pauses() {
        let (clock, start) = (ClientClock(), NIODeadline.now())
        func at(_ seconds: Int64) -> NIODeadline { start + .seconds(seconds) }
        clock.pause(.turns, at: at(1))
        clock.pause(.unreadBytes, at: at(2))
        clock.pause(.unreadBytes, at: at(3))
        clock.resume(.turns, at: at(4))
        let during = clock.now(at: at(5))
        #expect(during == at(1))
        clock.resume(.unreadBytes, at: at(6))
        clock.resume(.unreadBytes, at: at(7))
        let after = clock.now(at: at(8))
        #expect(after == at(3))
    }

    @Test("an upload is not late while another stream's body fills the connection, so that the server does not read")
    func otherStream() async throws {
        var limits = ChannelLimits()
        limits.body = MinimumRate(start: .milliseconds(1_500), ceiling: .seconds(2), bytesPerSecond: 10_000)
        limits.unreadByteCount = 32 * 1_024
        limits.mostUnreadByteCount = limits.unreadByteCount
        try await ChannelServer.run(
            limits,
            routes: { router in
                router.post("/later") { request, _ in
                    try await Task.sleep(for: .milliseconds(3_000))
                    var count = 0
                    for try await chunk in request.body { count += chunk.readableBytes }
                    return "\(count)"
                }
            }
        ) { server in
            let client = try RawHTTP2(port: server.port)
            try client.request(1, "POST", "/count", ends: false)
            try client.body(1, [1, 2, 3])
            try client.request(3, "POST", "/later", ends: false)
            for index in 0..<4 { try client.body(3, [UInt8](repeating: 1, count: 15_000), ends: index == 3) }
            // The server reads this frame only after the handler of the other stream has read its body.
            try client.body(1, [4, 5, 6], ends: true)
            let answer = try client.frame { $0.stream == 1 && $0.type == RawHTTP2.headers }
            #expect(RawHTTP2.status(answer) == 200)
        }
    }
}
