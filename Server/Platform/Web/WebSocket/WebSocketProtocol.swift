import Core
import NIOCore

/// The server's side of the WebSocket protocol (RFC 6455 §5.4 to §7) as a value: the client's bytes in, actions out.
struct WebSocketProtocol: Sendable {
    enum Action: Sendable, Equatable {
        /// A message of up to this many bytes begins; the number is above `announcedAbove`. The next call reads its payload.
        case begins(byteCount: Int)
        case deliver(WebSocketMessage)
        /// Answer a ping with its own payload.
        case pong(ByteBuffer)
        /// An answer to our ping, or an unsolicited pong.
        case receivedPong
        /// The peer closes the socket. `answer` is the payload of the Close frame to send; `nil` when we have sent ours already. The
        /// protocol processes no further bytes.
        case peerClosed(WebSocketClose, answer: ByteBuffer?)
        /// The peer violated the protocol or a limit: send this close and end the socket. The protocol processes no further bytes.
        case fail(WebSocketClose)
    }

    private enum State {
        case open
        /// We have sent Close: messages are dropped until the peer's Close arrives.
        case closing
        case over
    }

    private let limits: WebSocketLimits
    private let announcedAbove: Int
    private var state = State.open
    private var reader: WebSocketFrameReader
    /// The frame that is arriving.
    private var frame: WebSocketFrameReader.Header?
    private var control = ByteBuffer()
    /// The message that is arriving, from its first frame on.
    private var message: (isText: Bool, bytes: ByteBuffer)?
    private var validator = UTF8Validator()
    /// The frames of the message that is arriving, so far.
    private var frameCount = 0
    /// After this many frames of a message, they must have `leastFrameByteCount` bytes on average: every frame costs the same work, however
    /// small it is.
    private static let freeFrameCount = 100
    private static let leastFrameByteCount = 16

    /// - Parameter announcedAbove: bytes; a longer message is announced before its payload is read.
    init(limits: WebSocketLimits, announcedAbove: Int = .max) {
        self.limits = limits
        self.announcedAbove = announcedAbove
        reader = WebSocketFrameReader(limit: limits.frameByteCount)
    }

    var isOver: Bool { state == .over }

    /// Records that we have sent our Close.
    mutating func close() {
        guard state == .open else { return }
        state = .closing
        message?.bytes = ByteBuffer()
    }

    /// Processes `bytes` up to the next action and returns it; `nil` when more bytes are needed. Call it until it returns `nil`.
    mutating func receive(_ bytes: inout ByteBuffer) -> Action? {
        do throws(WebSocketClose) {
            while state != .over {
                if frame == nil {
                    guard let header = try reader.header(from: &bytes) else { return nil }
                    try begin(header)
                    if state == .open, header.opcode == .text || header.opcode == .binary {
                        // The length of the message is known only if the message has one frame.
                        let byteCount = header.isFinal ? header.byteCount : limits.messageByteCount
                        if byteCount > announcedAbove { return .begins(byteCount: byteCount) }
                    }
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
                guard message != nil else { throw WebSocketFrameReader.fault("A continuation frame has no message to continue.") }
            } else {
                guard message == nil else { throw WebSocketFrameReader.fault("A message begins before the last one is complete.") }
                message = (header.opcode == .text, ByteBuffer())
                validator = UTF8Validator()
                frameCount = 0
            }
            frameCount += 1
            let byteCount = (message?.bytes.readableBytes ?? 0) + header.byteCount
            guard byteCount <= limits.messageByteCount else {
                throw WebSocketClose(.messageTooBig, "A message may hold at most \(SizeText.limit(limits.messageByteCount)).")
            }
            // Once we have sent Close, messages are dropped, so their length is not known.
            guard state == .closing || frameCount <= Self.freeFrameCount || byteCount / frameCount >= Self.leastFrameByteCount else {
                throw WebSocketClose(
                    .policyViolation, "The frames of a message must have \(Self.leastFrameByteCount) bytes or more, on average.")
            }
        }
        frame = header
    }

    /// - Returns: whether the frame is complete.
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
            // RFC 6455 §5.5.2: no pong once a Close frame has been sent.
            return state == .open ? .pong(payload) : nil
        case .pong:
            control.clear()
            return .receivedPong
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
