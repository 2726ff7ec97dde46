internal import KeepsakeKit
internal import NIOCore
internal import NIOWebSocket
internal import Synchronization

/// An open WebSocket (RFC 6455) for text messages. It stops reading from the network while `maxWaiting` messages wait for their reader.
final class Socket: TransportSocket {
    static let maxWaiting = 64

    private struct State {
        var texts: [String] = []
        var reader: CheckedContinuation<String, any Error>?
        var hasEnded = false
        /// Called when messages have been read after the socket had stopped reading from the network.
        var resume: (@Sendable () -> Void)?
    }

    private let channel: any Channel
    private let state = Mutex(State())

    init(_ channel: any Channel) { self.channel = channel }

    deinit { channel.close(promise: nil) }

    private static let ended = KeepsakeError(.network, "The connection has ended.")

    func receive() async throws -> String {
        try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { continuation in
                let (result, resume) = state.withLock { state -> (Result<String, any Error>?, (@Sendable () -> Void)?) in
                    if !state.texts.isEmpty {
                        let text = state.texts.removeFirst()
                        defer { state.resume = nil }
                        return (.success(text), state.resume)
                    }
                    if state.hasEnded { return (.failure(Self.ended), nil) }
                    state.reader = continuation
                    return (nil, nil)
                }
                resume?()
                if let result { continuation.resume(with: result) }
            }
        } onCancel: {
            close()
        }
    }

    func send(_ text: String) async throws {
        let frame = WebSocketFrame(fin: true, opcode: .text, maskKey: .random(), data: ByteBuffer(string: text))
        do { try await channel.writeAndFlush(frame).get() } catch { throw Self.ended }
    }

    func close() {
        channel.close(promise: nil)
        end()
    }

    // MARK: Calls from the channel

    /// - Parameter resume: called on any thread when the socket may read again.
    /// - Returns: whether to read on.
    func deliver(_ text: String, resume: @escaping @Sendable () -> Void) -> Bool {
        let (reader, readsOn) = state.withLock { state -> (CheckedContinuation<String, any Error>?, Bool) in
            guard !state.hasEnded else { return (nil, false) }
            if let reader = state.reader {
                state.reader = nil
                return (reader, true)
            }
            state.texts.append(text)
            guard state.texts.count >= Self.maxWaiting else { return (nil, true) }
            state.resume = resume
            return (nil, false)
        }
        reader?.resume(returning: text)
        return readsOn
    }

    /// Ends the socket. Messages that have arrived can still be read.
    func end() {
        let reader = state.withLock { state in
            state.hasEnded = true
            state.resume = nil
            defer { state.reader = nil }
            return state.reader
        }
        reader?.resume(throwing: Self.ended)
    }
}

/// Passes texts to the socket, answers pings, and ends the socket with its channel. Lives on the channel's event loop.
final class SocketHandler: ChannelDuplexHandler {
    typealias InboundIn = WebSocketFrame
    typealias OutboundIn = WebSocketFrame
    typealias OutboundOut = WebSocketFrame

    /// The reference is weak, so that a socket that nobody uses any more is released and closes its channel.
    private weak var socket: Socket?
    private var isReading = true
    /// Whether the channel asked to read while the socket was full.
    private var readWaits = false

    init(_ socket: Socket) { self.socket = socket }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        let frame = unwrapInboundIn(data)
        switch frame.opcode {
        case .text:
            let bound = NIOLoopBound((handler: self, context: context), eventLoop: context.eventLoop)
            let readsOn = socket?.deliver(String(buffer: frame.unmaskedData)) {
                bound.eventLoop.execute { bound.value.handler.readAgain(bound.value.context) }
            }
            if readsOn == false { isReading = false }
        case .ping: reply(.pong, frame.unmaskedData, context)
        case .connectionClose:
            reply(.connectionClose, frame.unmaskedData, context)
            context.close(promise: nil)
        default: break
        }
    }

    private func reply(_ opcode: WebSocketOpcode, _ payload: ByteBuffer, _ context: ChannelHandlerContext) {
        context.writeAndFlush(wrapOutboundOut(WebSocketFrame(fin: true, opcode: opcode, maskKey: .random(), data: payload)), promise: nil)
    }

    func read(context: ChannelHandlerContext) {
        if isReading { context.read() } else { readWaits = true }
    }

    private func readAgain(_ context: ChannelHandlerContext) {
        isReading = true
        guard readWaits else { return }
        readWaits = false
        context.read()
    }

    func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
        // Nothing has arrived for longer than the server's pings allow.
        if case IdleStateHandler.IdleStateEvent.read = event { context.close(promise: nil) }
        context.fireUserInboundEventTriggered(event)
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) { context.close(promise: nil) }

    func channelInactive(context: ChannelHandlerContext) {
        socket?.end()
        context.fireChannelInactive()
    }

    func handlerRemoved(context: ChannelHandlerContext) { socket?.end() }
}
