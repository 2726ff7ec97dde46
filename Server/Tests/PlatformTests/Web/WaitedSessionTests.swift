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
        var reads = Counter()

        func live(_ viewers: Set<Viewer>) async throws -> Set<Viewer> {
            reads.add()
            return isLive ? viewers : []
        }
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
        let session = CallerSession(viewer, Watch(isLive: isLive), authenticatedAt: .now - CallerSession.shortestAge)
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

    @Test("a session is read at most once a second")
    func reads() async throws {
        let watch = Watch(isLive: true)
        let start = ContinuousClock.now
        let session = CallerSession(Viewer(accountID: "ada", sessionID: "one", isAdmin: false), watch, authenticatedAt: start)
        for (milliseconds, reads) in [(999, 0), (1_000, 1), (1_001, 1), (1_999, 1), (2_000, 2)] {
            try await session.requireLive(now: start + .milliseconds(milliseconds))
            #expect(watch.reads.count == reads, "after \(milliseconds) ms")
        }
    }
}
