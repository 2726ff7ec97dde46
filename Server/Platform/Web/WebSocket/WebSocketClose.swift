internal import Core
internal import Database
internal import Live
internal import NIOCore

/// Why a socket ends, as a Close frame says it (RFC 6455 §7.1.5).
package struct WebSocketClose: Error, Sendable, Hashable {
    /// `nil` when the frame carried none (1005, which never travels).
    package let code: Code?
    /// For people; at most 123 bytes of UTF-8, longer ones are cut.
    package let reason: String

    package init(_ code: Code?, _ reason: String = "") {
        self.code = code
        self.reason = Self.cut(reason)
    }

    /// RFC 6455 §7.4.1, and the ones IANA's registry has added since.
    package struct Code: RawRepresentable, Sendable, Hashable, CustomStringConvertible {
        package let rawValue: UInt16

        package init(rawValue: UInt16) { self.rawValue = rawValue }

        package static let normal = Code(rawValue: 1_000)
        package static let goingAway = Code(rawValue: 1_001)
        package static let protocolError = Code(rawValue: 1_002)
        /// A kind of message this socket does not take.
        package static let unsupportedData = Code(rawValue: 1_003)
        /// Text that is not UTF-8.
        package static let invalidPayload = Code(rawValue: 1_007)
        /// The session has ended, or the caller may not do this.
        package static let policyViolation = Code(rawValue: 1_008)
        package static let messageTooBig = Code(rawValue: 1_009)
        /// Our fault.
        package static let internalError = Code(rawValue: 1_011)
        /// This node is being stopped: come back, here or elsewhere.
        package static let serviceRestart = Code(rawValue: 1_012)
        /// Overloaded, or the reader is too slow: come back later.
        package static let tryAgainLater = Code(rawValue: 1_013)

        package var description: String { String(rawValue) }

        /// Whether it may stand in a frame: registered and not reserved (1004…1006, 1015), or a library's or application's own.
        var mayTravel: Bool {
            switch rawValue {
            case 1_000...1_003, 1_007...1_014, 3_000...4_999: true
            default: false
            }
        }
    }

    /// RFC 6455 §5.5.1: a control frame holds 125 bytes, the code takes two.
    static let reasonByteLimit = 123

    /// As the frame carries it; nothing at all without a code.
    var payload: ByteBuffer {
        guard let code else { return ByteBuffer() }
        var payload = ByteBuffer(integer: code.rawValue)
        payload.writeString(reason)
        return payload
    }

    /// - Throws: the close that answers a frame which is not one.
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

    /// How a handler's error ends its socket: what it threw on purpose is said, anything else is ours to look into.
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
        default: self.init(.internalError)
        }
    }
}
