import Core
import TestKit
import TestThreads
import Testing
import Web

@testable import Captures
@testable import FeatureTestKit
@testable import keepsake

@Suite("Captures whose replies are not read", .blocksThreads)
struct UnreadReplyTests {
    private static let time = "2026-05-01T08:00:00Z"

    private func window(_ budget: SharedBudget, _ account: String) throws -> ReplyWindow {
        ReplyWindow(try budget.share(0, of: Requester(account: account, network: Network(ipv4: 1))))
    }

    @Test("a socket reads a few captures ahead of its replies, and more from a shared budget; without room, the next waits for a reply")
    func bounded() async throws {
        let budget = SharedBudget(.init(total: 10, perAccount: 10, perNetwork: 10))
        let (first, second) = (try window(budget, "ada"), try window(budget, "eve"))
        for _ in 0..<32 { try await first.enter() }
        #expect(budget.held == 0)
        for _ in 0..<10 { try await first.enter() }
        #expect(budget.held == 10)
        // The second socket can still send its first captures, although the first one has used up the shared budget.
        for _ in 0..<32 { try await second.enter() }
        let (ofFirst, ofSecond) = (Task { try await first.enter() }, Task { try await second.enter() })
        try await Task.sleep(for: .milliseconds(50))
        #expect(first.count == 42 && second.count == 32)
        first.leave()
        try await ofFirst.value
        #expect(first.count == 42 && budget.held == 10)
        second.leave()
        try await ofSecond.value
        #expect(second.count == 32 && budget.held == 10)
        for _ in 0..<42 { first.leave() }
        #expect(first.count == 0 && budget.held == 0)
    }

    @Test("a socket that ends does not wait for room, and returns its share")
    func ended() async throws {
        let budget = SharedBudget(.init(total: 10, perAccount: 1, perNetwork: 10))
        var socket: ReplyWindow? = try window(budget, "ada")
        for _ in 0..<33 { try await socket?.enter() }
        let waiting = Task { [socket] in try await socket?.enter() }
        waiting.cancel()
        await #expect(throws: CancellationError.self) { try await waiting.value }
        #expect(budget.held == 1 && socket != nil)
        socket = nil
        try await eventually { budget.held == 0 }
    }

    @Test("a capture's permit is free again when the outcome is known, before anybody has read the reply")
    func permit() async throws {
        try await TestServer.run(.sqlite) { server in
            let ada = try await server.person()
            let inbox = server.backend.features[CapturesFeature.self].inbox
            let permit = try await inbox.permit(100, for: Requester(account: ada.id, network: nil))
            #expect(inbox.small.heldCount == 1)
            let capture = NewCapture(owner: ada.id, id: "a", message: CaptureMessage(id: "a", at: Timestamp(seconds: 1_777_622_400)))
            let heldCount: Int = await withCheckedContinuation { continuation in
                inbox.submit(
                    CaptureInbox.Item(capture: capture, permit: permit) { _ in continuation.resume(returning: inbox.small.heldCount) })
            }
            #expect(heldCount == 0)
            withExtendedLifetime(permit) {}
        }
    }

    /// Regression: each reply that was not read held a permit, so four accounts on two networks held all of them.
    @Test("a client that does not read its replies holds no permit, its socket is read no further, and nothing is lost when it reads")
    func unread() async throws {
        try await TestServer.run(.sqlite) { settings in
            // The send queue of a socket holds one message, so that little fills it.
            settings.sockets.unsentBytes = .init(total: 1, perAccount: 1, perNetwork: 1)
        } _: { server in
            let (ada, eve) = (try await server.person(), try await server.person("eve"))
            let inbox = server.backend.features[CapturesFeature.self].inbox
            let connection = try RawConnection(port: server.port, receiveByteCount: 65_536)
            try connection.send(WebSocketClient.request("/ws/ios/\(ada.id)", [ada.bearer]))
            #expect(try connection.answer().status == 101)
            let client = WebSocketClient(connection)
            let id = String(repeating: "x", count: 128)
            let message = WebSocketClient.bytes(1, Array(#"{"type":"memory_capture","id":"\#(id)","timestamp":"x"}"#.utf8))
            // The replies to so many captures do not fit into the kernel's buffers.
            let count = 4_000
            try connection.send((0..<count).flatMap { _ in message })
            try await eventually { inbox.ahead.held == 512 }
            try await Task.sleep(for: .milliseconds(100))
            #expect(inbox.ahead.held == 512 && inbox.small.heldCount == 0)
            // Another account of the same network can still send captures.
            #expect(try CaptureClient(server, eve).take("hers", at: Self.time)["type"] as? String == "ack")
            for _ in 0..<count {
                let frame = try client.nextMessage()
                #expect(frame.text.contains("invalid_timestamp"))
            }
            try await eventually { inbox.ahead.held == 0 }
        }
    }
}
