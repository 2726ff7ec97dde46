import Blobs
import Connections
import Core
import NIOCore
import NIOPosix
import Synchronization

/// A connection for one command. Every wait has a timeout, which closes the connection.
final class ClamdConnection: Sendable {
    private let channel: any Channel
    private let handler: NIOLoopBound<ClamdReplyHandler>
    private let received: EventLoopFuture<ClamdReply>
    private let flags = Flags()
    /// Released when the connection is closed.
    private let permits: Mutex<[FairSemaphore.Permit]>

    private final class Flags: Sendable {
        let hasReply = Atomic(false)
        let isSending = Atomic(false)
        /// Whether clamd may have received the end of the file, but has not replied.
        let isScanning = Atomic(false)
    }

    private init(
        _ channel: any Channel, _ handler: NIOLoopBound<ClamdReplyHandler>, _ received: EventLoopFuture<ClamdReply>,
        _ permits: [FairSemaphore.Permit]
    ) {
        self.channel = channel
        self.handler = handler
        self.received = received
        self.permits = Mutex(permits)
        received.whenComplete { [flags] _ in flags.hasReply.store(true, ordering: .releasing) }
    }

    /// - Throws: `ScannerUnavailable` when there is no connection within `time`.
    static func open(
        _ address: ClamdAddress, on group: any EventLoopGroup, within time: Duration, _ permits: [FairSemaphore.Permit]
    ) async throws -> ClamdConnection {
        let deadline = ContinuousClock.now + time
        while true {
            do {
                return try await connect(address, on: group, within: time, permits)
            } catch let error as IOError where error.errnoCode == EAGAIN && ContinuousClock.now < deadline {
                // A Unix socket whose backlog is full returns EAGAIN at once instead of waiting.
                try await Task.sleep(for: .milliseconds(20))
            } catch {
                let advice = "check that clamd runs, and its address"
                throw ScannerUnavailable("no connection to \(address): \(ConnectionFault(error).text(advice: advice))")
            }
        }
    }

    private static func connect(
        _ address: ClamdAddress, on group: any EventLoopGroup, within time: Duration, _ permits: [FairSemaphore.Permit]
    ) async throws -> ClamdConnection {
        let loop = group.next()
        let promise = loop.makePromise(of: ClamdReply.self)
        let bootstrap = ClientBootstrap(group: loop).connectTimeout(TimeAmount(time))
            .channelOption(.autoRead, value: false)
            .channelOption(.writeBufferWaterMark, value: .init(low: 65_536, high: 131_072))
        do {
            let connected =
                switch address {
                case .unix(let path): bootstrap.connect(unixDomainSocketPath: path)
                case .tcp(let host, let port): bootstrap.connect(host: host, port: port)
                }
            // Add the handler here and not in the bootstrap, which tries several channels for a host with several addresses. Add it before
            // anything is read: a reply and the end of the stream may already be there.
            return try await connected.flatMapThrowing { channel in
                let handler = ClamdReplyHandler(promise)
                try channel.pipeline.syncOperations.addHandler(handler)
                channel.read()
                try? channel.syncOptions?.setOption(.autoRead, value: true)
                return ClamdConnection(channel, NIOLoopBound(handler, eventLoop: channel.eventLoop), promise.futureResult, permits)
            }.get()
        } catch {
            // No handler exists that could complete the promise.
            promise.succeed(.none(reason: "no connection"))
            throw error
        }
    }

    /// Whether a reply has arrived, or none can arrive any more.
    var hasReply: Bool { flags.hasReply.load(ordering: .acquiring) }

    /// Whether a chunk is still on its way to the operating system.
    var isSending: Bool { flags.isSending.load(ordering: .acquiring) }

    func say(_ command: String) { channel.write(ByteBuffer(string: command), promise: nil) }

    /// Sends one chunk of the file, at least one byte.
    /// - Returns: a future that fails when clamd did not accept the whole chunk within `time`; `reply` then gives the reason.
    func send(_ chunk: ByteBuffer, within time: Duration) -> EventLoopFuture<Void> {
        flags.isSending.store(true, ordering: .releasing)
        channel.write(ByteBuffer(integer: UInt32(chunk.readableBytes)), promise: nil)
        return flush(chunk, within: time)
    }

    /// Sends the empty chunk that marks the end of the file. clamd then scans the file.
    /// - Parameters:
    ///   - permit: released when clamd has replied, or when the connection is closed.
    ///   - longestScan: if clamd has not replied after this time, the connection is closed.
    func sendEnd(within time: Duration, holding permit: FairSemaphore.Permit, longestScan: Duration) -> EventLoopFuture<Void> {
        permits.withLock { $0.append(permit) }
        flags.isScanning.store(true, ordering: .releasing)
        let alarm = channel.eventLoop.scheduleTask(in: TimeAmount(longestScan)) { [channel] in channel.close(promise: nil) }
        channel.closeFuture.whenComplete { _ in alarm.cancel() }
        return flush(ByteBuffer(integer: UInt32(0)), within: time)
    }

    /// Sends a command that has no data.
    func flush() { channel.flush() }

    private func flush(_ bytes: ByteBuffer, within time: Duration) -> EventLoopFuture<Void> {
        let written = channel.writeAndFlush(bytes)
        written.whenComplete { [flags] _ in flags.isSending.store(false, ordering: .releasing) }
        limit(written, to: time, "it has taken no bytes for \(time)", closes: true)
        return written
    }

    /// Waits at most `time` for the reply; `.none` after that.
    func reply(within time: Duration) async -> ClamdReply {
        // During a scan, this timeout does not close the connection; `close` decides how long it stays open.
        limit(received, to: time, "it has not answered for \(time)", closes: !flags.isScanning.load(ordering: .acquiring))
        // The future never fails.
        let reply = (try? await received.get()) ?? .none(reason: "the connection was closed")
        if case .text = reply { flags.isScanning.store(false, ordering: .releasing) }
        return reply
    }

    /// Closes the connection. clamd scans a file to its end even if nobody waits for the verdict any more, so during a scan the connection
    /// and its permits stay until clamd has replied. Otherwise aborted uploads could fill all of clamd's threads.
    func close() {
        guard flags.isScanning.load(ordering: .acquiring) else {
            channel.close(promise: nil)
            return releasePermits()
        }
        channel.closeFuture.whenComplete { _ in self.releasePermits() }
        channel.eventLoop.execute { [channel, handler] in handler.value.closeAfterReply(channel) }
    }

    private func releasePermits() {
        for permit in permits.withLock({ $0 }) { permit.release() }
    }

    private func limit<Value>(_ future: EventLoopFuture<Value>, to time: Duration, _ reason: String, closes: Bool) {
        let alarm = channel.eventLoop.scheduleTask(in: TimeAmount(time)) { [channel, handler] in
            handler.value.giveUp(reason)
            if closes { channel.close(promise: nil) }
        }
        future.whenComplete { _ in alarm.cancel() }
    }
}
