import Foundation
import NIOCore
import NIOPosix
import Synchronization
import TestKit

/// Many WebSockets from one process to one server. They receive frames and send only answers to pings.
final class SocketCrowd: Sendable {
    private let channels = Mutex<[any Channel]>([])
    private let counts = Totals()

    /// The totals of all sockets so far.
    final class Totals: Sendable {
        private let counts = Mutex((open: 0, frames: 0, closed: 0))

        func add(open: Int = 0, frames: Int = 0, closed: Int = 0) {
            counts.withLock { $0 = ($0.open + open, $0.frames + frames, $0.closed + closed) }
        }
        var current: (open: Int, frames: Int, closed: Int) { counts.withLock { $0 } }
    }

    /// Opens `count` sockets, at most 64 at a time, and waits until all handshakes are complete.
    /// - Parameter tokens: the sockets use them in turn.
    init(_ count: Int, port: Int, path: String, tokens: [String]) async throws {
        try await withThrowingTaskGroup(of: Void.self) { group in
            for number in 0..<count {
                if number >= 64 { try await group.next() }
                group.addTask { [self] in
                    let request = WebSocketClient.request(path, [("Authorization", "Bearer \(tokens[number % tokens.count])")])
                    let channel = try await ClientBootstrap(group: .singletonMultiThreadedEventLoopGroup)
                        .channelOption(.recvAllocator, value: FixedSizeRecvByteBufferAllocator(capacity: 1_024))
                        .channelInitializer { [counts] channel in
                            channel.eventLoop.makeCompletedFuture { try channel.pipeline.syncOperations.addHandler(Listener(counts)) }
                        }
                        .connect(host: "127.0.0.1", port: port).get()
                    channels.withLock { $0.append(channel) }
                    try await channel.writeAndFlush(ByteBuffer(string: request))
                }
            }
            try await group.waitForAll()
        }
        guard await wait(seconds: 30, { $0.open == count }) else { throw Failure.notAllOpen(counts.current.open) }
    }

    enum Failure: Error { case notAllOpen(Int) }

    /// Waits until the totals satisfy `condition`; returns false after `seconds`.
    func wait(seconds: Int, _ condition: ((open: Int, frames: Int, closed: Int)) -> Bool) async -> Bool {
        let deadline = ContinuousClock.now + .seconds(seconds)
        while !condition(counts.current) {
            guard ContinuousClock.now < deadline else { return false }
            try? await Task.sleep(for: .milliseconds(10))
        }
        return true
    }

    var current: (open: Int, frames: Int, closed: Int) { counts.current }

    func close() async {
        for channel in channels.withLock({ $0 }) { try? await channel.close() }
    }

    /// Counts frames by their headers; answers pings and nothing else.
    private final class Listener: ChannelInboundHandler {
        typealias InboundIn = ByteBuffer
        typealias OutboundOut = ByteBuffer
        private let counts: Totals
        private var isOpen = false
        private var unread = ByteBuffer()

        init(_ counts: Totals) { self.counts = counts }

        func channelRead(context: ChannelHandlerContext, data: NIOAny) {
            unread.writeImmutableBuffer(unwrapInboundIn(data))
            if !isOpen {
                guard let end = unread.readableBytesView.firstRange(of: Array("\r\n\r\n".utf8))?.upperBound else { return }
                guard unread.readableBytesView.starts(with: "HTTP/1.1 101".utf8) else { return context.close(promise: nil) }
                unread.moveReaderIndex(to: end)
                isOpen = true
                counts.add(open: 1)
            }
            while let second = unread.getInteger(at: unread.readerIndex + 1, as: UInt8.self) {
                let extra = second == 126 ? 2 : 0
                guard let length = extra == 0 ? Int(second) : unread.getInteger(at: unread.readerIndex + 2, as: UInt16.self).map(Int.init),
                    unread.readableBytes >= 2 + extra + length
                else { return }
                let opcode = (unread.getInteger(at: unread.readerIndex, as: UInt8.self) ?? 0) & 0x0F
                unread.moveReaderIndex(forwardBy: 2 + extra + length)
                switch opcode {
                case 8: context.writeAndFlush(wrapOutboundOut(ByteBuffer(bytes: WebSocketClient.closing(1_012))), promise: nil)
                case 9: context.writeAndFlush(wrapOutboundOut(ByteBuffer(bytes: WebSocketClient.bytes(10, []))), promise: nil)
                default: counts.add(frames: 1)
                }
            }
            if unread.readableBytes == 0 { unread = ByteBuffer() }
        }

        func channelInactive(context: ChannelHandlerContext) {
            if isOpen { counts.add(closed: 1) }
        }
    }
}
