import NIOCore

/// The server's side of a conversation (RFC 6455 §5.4…§7) as a value: a client's bytes in, what is to be done out.
struct WebSocketProtocol: Sendable {
    enum Action: Sendable, Equatable {
        case deliver(WebSocketMessage)
        /// Answer a ping with its own payload.
        case pong(ByteBuffer)
        /// An answer to our ping, or a sign of life nobody asked for.
        case heardPong
        /// The peer closes. `answer` is the Close frame's payload to send, `nil` when ours went out before. Nothing is read any more.
        case peerClosed(WebSocketClose, answer: ByteBuffer?)
        /// The peer broke the protocol or a limit: say so and close. Nothing is read any more.
        case fail(WebSocketClose)
    }

    private enum State {
        case open
        /// We said goodbye: messages are dropped, the peer's Close is waited for.
        case closing
        case over
    }

    private let limits: WebSocketLimits
    private var state = State.open
    private var reader: WebSocketFrameReader
    /// The frame that is arriving.
    private var frame: WebSocketFrameReader.Header?
    private var control = ByteBuffer()
    /// The message that is arriving, from its first frame on.
    private var message: (isText: Bool, bytes: ByteBuffer)?
    private var validator = UTF8Validator()

    init(limits: WebSocketLimits) {
        self.limits = limits
        reader = WebSocketFrameReader(limit: limits.frameByteCount)
    }

    var isOver: Bool { state == .over }

    /// We have sent our Close.
    mutating func close() {
        guard state == .open else { return }
        state = .closing
        message?.bytes = ByteBuffer()
    }

    /// What the next of `bytes` lead to; `nil` when more are needed. Call it until then.
    mutating func receive(_ bytes: inout ByteBuffer) -> Action? {
        do throws(WebSocketClose) {
            while state != .over {
                if frame == nil {
                    guard let header = try reader.header(from: &bytes) else { return nil }
                    try begin(header)
                }
                guard try collect(&bytes) else { return nil }
                if let action = try endFrame() { return action }
            }
            return nil
        } catch {
            state = .over
            release()
            return .fail(error)
        }
    }

    private mutating func begin(_ header: WebSocketFrameReader.Header) throws(WebSocketClose) {
        if !header.opcode.isControl {
            guard limits.takesMessages || state == .closing else {
                throw WebSocketClose(.unsupportedData, "This socket takes no messages.")
            }
            if header.opcode == .continuation {
                guard message != nil else { throw WebSocketFrameReader.fault("There is nothing to continue.") }
            } else {
                guard message == nil else { throw WebSocketFrameReader.fault("The message before is not finished.") }
                message = (header.opcode == .text, ByteBuffer())
                validator = UTF8Validator()
            }
            guard (message?.bytes.readableBytes ?? 0) + header.byteCount <= limits.messageByteCount else {
                throw WebSocketClose(.messageTooBig, "A message may hold \(limits.messageByteCount) bytes.")
            }
        }
        frame = header
    }

    /// - Returns: whether the frame is there whole.
    private mutating func collect(_ bytes: inout ByteBuffer) throws(WebSocketClose) -> Bool {
        guard let frame else { return false }
        if frame.opcode.isControl {
            _ = reader.payload(from: &bytes, into: &control)
        } else if state == .closing {
            reader.skipPayload(of: &bytes)
        } else if let start = message?.bytes.readableBytes {
            _ = reader.payload(from: &bytes, into: &message!.bytes)
            if let (isText, text) = message, isText {
                let isValid = text.withUnsafeReadableBytes { validator.receive(UnsafeRawBufferPointer(rebasing: $0[start...])) }
                guard isValid else { throw Self.notUTF8 }
            }
        }
        return reader.missing == 0
    }

    private mutating func endFrame() throws(WebSocketClose) -> Action? {
        guard let ended = frame else { return nil }
        frame = nil
        switch ended.opcode {
        case .ping:
            let payload = takeControl()
            // RFC 6455 §5.5.2: not any more once Close is on its way.
            return state == .open ? .pong(payload) : nil
        case .pong:
            control.clear()
            return .heardPong
        case .close:
            let close = try WebSocketClose(payload: takeControl())
            let answer = state == .open ? WebSocketClose(close.code).payload : nil
            state = .over
            release()
            return .peerClosed(close, answer: answer)
        case .continuation, .text, .binary:
            guard ended.isFinal, let (isText, bytes) = message else { return nil }
            message = nil
            guard state == .open else { return nil }
            guard isText else { return .deliver(.binary(bytes)) }
            guard validator.isComplete else { throw Self.notUTF8 }
            return .deliver(.text(String(buffer: bytes)))
        }
    }

    private mutating func takeControl() -> ByteBuffer {
        defer { control = ByteBuffer() }
        return control
    }

    private mutating func release() {
        frame = nil
        message = nil
        control = ByteBuffer()
    }

    private static let notUTF8 = WebSocketClose(.invalidPayload, "A text is not UTF-8.")
}
