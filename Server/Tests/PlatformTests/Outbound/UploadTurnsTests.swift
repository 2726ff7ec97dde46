import Core
import Foundation
import NIOCore
import NIOPosix
import Outbound
import Synchronization
import TestKit
import Testing

/// Requests with pictures or sound to engines outside the installation.
@Suite("Files that are sent to outside engines")
struct UploadTurnsTests {
    /// The bodies that were made.
    private final class Made: Sendable {
        private let list = Mutex<[PiecewiseBody]>([])

        var bodies: [PiecewiseBody] { list.withLock { $0 } }

        func make(_ byteCount: Int) -> PiecewiseBody {
            let body = PiecewiseBody([.base64([UInt8](repeating: 7, count: byteCount))])
            list.withLock { $0.append(body) }
            return body
        }
    }

    private let made = Made()
    private let two = FairSemaphore.Limits(permits: 2, permitsPerKey: 1, waiting: 8, waitingPerKey: 8)

    private func client(_ url: String, _ outbound: OutboundHTTP, timeout: Duration = .seconds(30)) -> ProviderClient {
        let address = ProviderClient.Address(
            engine: "openai", base: url, model: "m-1", keyHeader: "Authorization", key: nil, timeout: timeout)
        return ProviderClient(address, outbound: outbound, ledger: nil, clock: .system, permits: { _ in true })
    }

    private func request(_ owner: String, hasFiles: Bool = true, byteCount: Int = 300_000) -> ProviderClient.Request {
        let body = ProviderClient.Body(hasFiles: hasFiles) { [made] in made.make(byteCount) }
        return ProviderClient.Request(path: "/v1/chat/completions", contentType: "text/plain", body: body, purpose: "chat", owner: owner)
    }

    @Test("while an engine makes its answer, the server holds no byte of the files, and no turn")
    func released() async throws {
        try await ModelStandIn.run(usual: .hangs) { server in
            let outbound = OutboundHTTP(.production)
            let (provider, asked) = (client(server.url, outbound), request("ada", byteCount: 5_000_000))
            let call = Task { try await provider.post(asked) }
            try await WorkerFixture.eventually { server.calls.count == 1 && outbound.uploads.heldCount == 0 }
            let body = try #require(made.bodies.first)
            #expect(made.bodies.count == 1 && body.heldByteCount == 0)
            #expect(body.byteCount == 6_666_668 && server.calls.first?.body.count == body.byteCount)
            call.cancel()
            _ = await call.result
        }
    }

    @Test("an account's files wait for its turn before they are read; its texts and the files of others do not wait for it")
    func turns() async throws {
        try await ModelStandIn.run(usual: .says("{}")) { server in
            let outbound = OutboundHTTP(.production, uploads: two)
            let provider = client(server.url, outbound)
            let held = try #require(outbound.uploads.acquireNow(for: Requester(account: "ada", network: nil)))
            let waiting = request("ada")
            let call = Task { try await provider.post(waiting) }
            try await WorkerFixture.eventually { outbound.uploads.waitingCount == 1 }
            #expect(made.bodies.isEmpty)
            _ = try await provider.post(request("ada", hasFiles: false))
            _ = try await provider.post(request("eve"))
            #expect(made.bodies.count == 2 && outbound.uploads.waitingCount == 1)
            held.release()
            _ = try await call.value
            #expect(made.bodies.count == 3 && outbound.uploads.heldCount == 0 && server.calls.count == 3)
        }
    }

    @Test("while the files of a request are read in their turn, the jobs of their owner hold a turn; without files, they hold none")
    func held() async throws {
        try await ModelStandIn.run(usual: .says("{}")) { server in
            let provider = client(server.url, OutboundHTTP(.production))
            let noted = Guarded<[Bool]>([])
            for hasFiles in [true, false] {
                let body = ProviderClient.Body(hasFiles: hasFiles) { [made] in
                    // Acts as engines do when they decode files.
                    await Requester(account: "ada", network: nil).run {
                        await Task.yield()
                        noted.withLock { $0.append(Requester.holdsTurn) }
                    }
                    return made.make(1_000)
                }
                let asked = ProviderClient.Request(
                    path: "/v1/chat/completions", contentType: "text/plain", body: body, purpose: "chat", owner: "ada")
                _ = try await provider.post(asked)
            }
            #expect(noted.value == [true, false])
        }
    }

    @Test("a wait for a turn lasts as long as a call may take; then the engine counts as away, and no file was read")
    func bounded() async throws {
        try await ModelStandIn.run(usual: .says("{}")) { server in
            let outbound = OutboundHTTP(.production, uploads: two)
            let provider = client(server.url, outbound, timeout: .milliseconds(200))
            let held = try #require(outbound.uploads.acquireNow(for: Requester(account: "ada", network: nil)))
            let asked = request("ada")
            let failure = await #expect(throws: ProviderFailure.self) { _ = try await provider.post(asked) }
            #expect(failure?.isAway == true && made.bodies.isEmpty && server.calls.isEmpty)
            held.release()
        }
    }

    @Test("an engine that does not read the request is given up after the time of silence, and the turn ends")
    func unread() async throws {
        let listener = try await ServerBootstrap(group: MultiThreadedEventLoopGroup.singleton)
            .childChannelOption(ChannelOptions.autoRead, value: false)
            .bind(host: "127.0.0.1", port: 0).get()
        let port = try #require(listener.localAddress?.port)
        let outbound = OutboundHTTP(.production)
        let provider = client("http://127.0.0.1:\(port)", outbound)
        // In base64, the file takes 32 MB, more than the kernel's buffers hold.
        let asked = request("ada", byteCount: 24 << 20)
        let silence = Duration.milliseconds(300)
        let failure = await #expect(throws: ProviderFailure.self) {
            try await provider.stream(asked, silence: silence, ProviderClient.Received()) { _ in }
        }
        #expect(failure?.description == "openai took longer than \(silence)" && failure?.isAway == true)
        #expect(made.bodies.map(\.heldByteCount) == [0] && outbound.uploads.heldCount == 0)
        try? await listener.close().get()
    }

    /// Reads only the beginning of a request, and refuses the request after 0.5 s, when the sender waits.
    private final class Refusing: ChannelInboundHandler {
        typealias InboundIn = ByteBuffer
        typealias OutboundOut = ByteBuffer

        func channelActive(context: ChannelHandlerContext) { context.read() }

        func channelRead(context: ChannelHandlerContext, data: NIOAny) {
            let bound = NIOLoopBound(context, eventLoop: context.eventLoop)
            context.eventLoop.scheduleTask(in: .milliseconds(500)) {
                let refusal = ByteBuffer(string: "HTTP/1.1 413 Content Too Large\r\nContent-Length: 2\r\n\r\n{}")
                bound.value.writeAndFlush(NIOAny(refusal), promise: nil)
            }
        }
    }

    private struct Weak {
        weak var body: PiecewiseBody?
    }

    @Test("an engine that refuses a request before it has read all of it gets its status through, and nothing of the request stays")
    func refused() async throws {
        let listener = try await ServerBootstrap(group: MultiThreadedEventLoopGroup.singleton)
            .childChannelOption(ChannelOptions.autoRead, value: false)
            .childChannelInitializer { channel in
                channel.eventLoop.makeCompletedFuture { try channel.pipeline.syncOperations.addHandler(Refusing()) }
            }
            .bind(host: "127.0.0.1", port: 0).get()
        let port = try #require(listener.localAddress?.port)
        let outbound = OutboundHTTP(.production)
        let provider = client("http://127.0.0.1:\(port)", outbound)
        let last = Last()
        let body = ProviderClient.Body(hasFiles: true) {
            let body = PiecewiseBody([.base64([UInt8](repeating: 7, count: 24 << 20))])
            last.reference.withLock { $0.body = body }
            return body
        }
        let asked = ProviderClient.Request(path: "/", contentType: "text/plain", body: body, purpose: "chat", owner: "ada")
        let failure = await #expect(throws: ProviderFailure.self) { _ = try await provider.post(asked) }
        #expect(failure?.status == 413 && outbound.uploads.heldCount == 0)
        try await WorkerFixture.eventually { last.reference.withLock { $0.body == nil } }
        try? await listener.close().get()
    }

    private final class Last: Sendable {
        let reference = Mutex(Weak())
    }
}
