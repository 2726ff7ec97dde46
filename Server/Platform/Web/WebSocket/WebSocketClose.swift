internal import Core
internal import Database
internal import Live
internal import NIOCore

/// Why a socket closes, as in a Close frame (RFC 6455 §7.1.5).
package struct WebSocketClose: Error, Sendable, Hashable {
    /// `nil` when the frame has no code (1005, which is never sent).
    package let code: Code?
    /// The reason as text for people; at most 123 bytes of UTF-8. A longer text is truncated.
    package let reason: String

    package init(_ code: Code?, _ reason: String = "") {
        self.code = code
        self.reason = Self.cut(reason)
    }

    /// Codes of RFC 6455 §7.4.1 and of IANA's registry.
    package struct Code: RawRepresentable, Sendable, Hashable, CustomStringConvertible {
        package let rawValue: UInt16

        package init(rawValue: UInt16) { self.rawValue = rawValue }

        package static let normal = Code(rawValue: 1_000)
        package static let goingAway = Code(rawValue: 1_001)
        package static let protocolError = Code(rawValue: 1_002)
        /// The socket does not accept this kind of message.
        package static let unsupportedData = Code(rawValue: 1_003)
        /// A text message is not UTF-8.
        package static let invalidPayload = Code(rawValue: 1_007)
        /// The session has ended, or the caller may not do this.
        package static let policyViolation = Code(rawValue: 1_008)
        package static let messageTooBig = Code(rawValue: 1_009)
        /// The server has a fault.
        package static let internalError = Code(rawValue: 1_011)
        /// This node is stopping. The client may reconnect, to this node or another.
        package static let serviceRestart = Code(rawValue: 1_012)
        /// The server is overloaded, or the client reads too slowly. The client may reconnect later.
        package static let tryAgainLater = Code(rawValue: 1_013)

        package var description: String { String(rawValue) }

        /// Whether a frame may contain the code: registered and not reserved (1004...1006, 1015), or defined by a library or an
        /// application.
        var mayTravel: Bool {
            switch rawValue {
            case 1_000...1_003, 1_007...1_014, 3_000...4_999: true
            default: false
            }
        }
    }

    /// RFC 6455 §5.5.1: a control frame holds 125 bytes, of which the code takes two.
    static let reasonByteLimit = 123

    /// The payload of the Close frame; empty without a code.
    var payload: ByteBuffer {
        guard let code else { return ByteBuffer() }
        var payload = ByteBuffer(integer: code.rawValue)
        payload.writeString(reason)
        return payload
    }

    /// - Throws: the close to send when the payload is invalid.
    init(payload: ByteBuffer) throws(WebSocketClose) {
        guard payload.readableBytes > 0 else {
            self.init(nil)
            return
        }
        var rest = payload
        guard let number = rest.readInteger(as: UInt16.self), Code(rawValue: number).mayTravel else {
            throw WebSocketClose(.protocolError, "This close code may not be sent.")
        }
        guard let reason = String(validating: rest.readableBytesView, as: UTF8.self) else {
            throw WebSocketClose(.invalidPayload, "The reason is not UTF-8.")
        }
        self.init(Code(rawValue: number), reason)
    }

    private static func cut(_ reason: String) -> String {
        guard reason.utf8.count > reasonByteLimit else { return reason }
        var cut = ""
        var byteCount = 0
        for character in reason {
            byteCount += character.utf8.count
            if byteCount > reasonByteLimit { break }
            cut.append(character)
        }
        return cut
    }

    /// How a handler's error closes its socket. The client gets the text of a `WebSocketClose` or a `Problem`. An unexpected error closes
    /// with `internalError` and no text.
    init(for error: any Error) {
        switch error {
        case let close as WebSocketClose: self = close
        case let problem as Problem:
            switch problem.kind {
            case .tooManyRequests, .unavailable, .storageFull, .timeout: self.init(.tryAgainLater, problem.message)
            case .fault: self.init(.internalError)
            default: self.init(.policyViolation, problem.message)
            }
        case LiveError.shuttingDown, is CancellationError: self.init(.serviceRestart, "The server is stopping.")
        case DatabaseError.unavailable, DatabaseError.busy, DatabaseError.closed:
            self.init(.tryAgainLater, "The database is not available.")
        case DatabaseError.nulInText: self.init(.policyViolation, "A text contains a NUL character.")
        default: self.init(.internalError)
        }
    }
}
