import Core
import Hummingbird
import Synchronization
import TestKit
import TestThreads
import Testing

@testable import Web

@Suite("Sessions that end while a request waits", .blocksThreads)
struct WaitedSessionTests {
    private struct Watch: SessionWatch {
        let isLive: Bool

        func live(_ viewers: Set<Viewer>) async throws -> Set<Viewer> { isLive ? viewers : [] }
    }

    private final class Counter: Sendable {
        private let number = Mutex(0)
        var count: Int { number.withLock { $0 } }
        func add() { number.withLock { $0 += 1 } }
    }

    @Test(
        "after a wait without a slot, a request of an ended session gets 401; work that needs a turn does not begin",
        arguments: [true, false])
    func waits(isLive: Bool) async throws {
        let work = Counter()
        let viewer = Viewer(accountID: "ada", sessionID: "one", isAdmin: false)
        let session = SessionCheck([viewer], Watch(isLive: isLive), every: .zero)
        try await ChannelServer.run(
            routes: { router in
                router.get("/wait") { _, context -> String in
                    var context = context
                    context.session = session
                    return try await context.withoutSlot { "done" }
                }
                router.get("/turn") { _, context -> String in
                    var context = context
                    context.session = session
                    return try await context.inTurn {
                        work.add()
                        return "done"
                    }
                }
            }
        ) { server in
            for path in ["/wait", "/turn"] {
                let client = try RawConnection(port: server.port)
                try client.send("GET \(path) HTTP/1.1\r\nHost: a\r\n\r\n")
                #expect(try client.answer().status == (isLive ? 200 : 401), "\(path)")
            }
            #expect(work.count == (isLive ? 1 : 0))
        }
    }
}
