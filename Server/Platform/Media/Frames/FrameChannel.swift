internal import CMedia

#if canImport(Glibc)
    internal import Glibc
#elseif canImport(Darwin)
    internal import Darwin
#endif

/// Why a frame could not be sent or received.
package enum FrameError: Error, Equatable {
    /// The other side closed the connection.
    case ended
    /// The other side violated the protocol.
    case garbage
    case timedOut
    case system(CInt)
}

/// One end of a stream socket that carries frames. A frame is its length in four bytes, big-endian, 1...65,536, followed by `FlatJSON`. The
/// first byte may carry one descriptor. Only one thread may use the channel at a time.
package final class FrameChannel {
    package static let longest = 64 * 1024

    private let socket: CInt

    /// Takes over `socket`.
    package init(socket: CInt) { self.socket = socket }

    deinit { _ = Self.systemClose(socket) }

    /// - Parameters:
    ///   - descriptor: still belongs to the caller.
    ///   - deadline: `nil` waits forever.
    package func send(_ frame: FlatJSON, descriptor: CInt? = nil, until deadline: ContinuousClock.Instant? = nil) throws(FrameError) {
        let body = frame.bytes
        precondition(body.count <= Self.longest, "a frame is longer than the other side accepts")
        let length = UInt32(body.count)
        let bytes = (0..<4).map { UInt8(truncatingIfNeeded: length >> (24 - 8 * $0)) } + body
        var sent = 0
        while sent < bytes.count {
            let result = bytes.withUnsafeBytes {
                media_send(socket, $0.baseAddress! + sent, $0.count - sent, sent == 0 ? descriptor ?? -1 : -1)
            }
            switch result {
            case 0...: sent += result
            case Int(-EAGAIN): try wait(for: POLLOUT, until: deadline)
            case Int(-EPIPE), Int(-ECONNRESET): throw .ended
            default: throw .system(CInt(-result))
            }
        }
    }

    /// - Returns: the frame, and the descriptor that it carried, if any; the caller must close it.
    package func receive(until deadline: ContinuousClock.Instant? = nil) throws(FrameError) -> (frame: FlatJSON, descriptor: CInt?) {
        var descriptor: CInt?
        do throws(FrameError) {
            let head = try read(4, &descriptor, mayCarry: true, until: deadline)
            let length = head.reduce(0) { $0 << 8 | Int($1) }
            guard (1...Self.longest).contains(length) else { throw .garbage }
            let body = try read(length, &descriptor, mayCarry: false, until: deadline)
            guard let frame = FlatJSON(parsing: body) else { throw .garbage }
            return (frame, descriptor)
        } catch {
            if let descriptor { _ = Self.systemClose(descriptor) }
            throw error
        }
    }

    /// Waits until a frame begins to arrive, or the other side closes the connection. Reads nothing, so it can be called again after a
    /// timeout.
    package func waitForFrame(until deadline: ContinuousClock.Instant) throws(FrameError) { try wait(for: POLLIN, until: deadline) }

    /// Whether the other side has closed the connection or has sent something unrequested.
    package var isDisturbed: Bool {
        var poll = pollfd(fd: socket, events: Int16(POLLIN), revents: 0)
        return Self.systemPoll(&poll, 1, 0) != 0
    }

    private func read(
        _ count: Int, _ descriptor: inout CInt?, mayCarry: Bool, until deadline: ContinuousClock.Instant?
    ) throws(FrameError) -> [UInt8] {
        var bytes = [UInt8](repeating: 0, count: count)
        var done = 0
        while done < count {
            var came: CInt = -1
            let result = bytes.withUnsafeMutableBytes { media_receive(socket, $0.baseAddress! + done, count - done, &came) }
            if came >= 0 {
                guard mayCarry, done == 0, descriptor == nil else {
                    _ = Self.systemClose(came)
                    throw .garbage
                }
                descriptor = came
            }
            switch result {
            case 1...: done += result
            case 0: throw .ended
            case Int(-EAGAIN): try wait(for: POLLIN, until: deadline)
            case Int(-ECONNRESET): throw .ended
            case Int(-EBADMSG): throw .garbage
            default: throw .system(CInt(-result))
            }
        }
        return bytes
    }

    private func wait(for event: Int32, until deadline: ContinuousClock.Instant?) throws(FrameError) {
        var poll = pollfd(fd: socket, events: Int16(event), revents: 0)
        while true {
            var milliseconds: CInt = -1
            if let deadline {
                let left = deadline - .now
                guard left > .zero else { throw .timedOut }
                milliseconds = CInt(clamping: left.components.seconds * 1000 + left.components.attoseconds / 1_000_000_000_000_000 + 1)
            }
            let result = Self.systemPoll(&poll, 1, milliseconds)
            if result > 0 { return }
            if result < 0, errno != EINTR { throw .system(errno) }
        }
    }

    // Inside the class, the names `close` and `poll` could refer to its members instead of the system's functions.
    private static let systemClose = close
    private static func systemPoll(_ descriptors: UnsafeMutablePointer<pollfd>, _ count: Int, _ milliseconds: CInt) -> CInt {
        poll(descriptors, nfds_t(count), milliseconds)
    }
}
