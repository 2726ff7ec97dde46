import Blobs
import Core
import Crypto
import NIOCore
import NIOPosix
import Synchronization

#if canImport(Glibc)
    import Glibc
#elseif canImport(Darwin)
    import Darwin
#endif

/// The bytes of one part until the store has it, in a file without a name, so that many slow uploads do not fill the memory. The file is
/// short-lived, so the kernel seldom writes its pages to the disk. `init` and `append` block.
final class PartFile: Sendable {
    private let descriptor: CInt
    private let turns: DiskTurns
    private let state = Mutex(State())

    private struct State: Sendable {
        var byteCount = 0
        var sha256 = SHA256()
    }

    /// Creates the file, and its folder if it does not exist.
    init(in folder: String, entropy: Entropy, turns: DiskTurns) throws {
        let path = "\(folder)/part-\(Hex.encode(entropy.bytes(8)))"
        var descriptor = open(path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0o600)
        if descriptor < 0, errno == ENOENT {
            mkdir(folder, 0o700)
            descriptor = open(path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0o600)
        }
        guard descriptor >= 0 else { throw BlobError("making a temporary file", errno) }
        unlink(path)
        self.descriptor = descriptor
        self.turns = turns
    }

    deinit { close(descriptor) }

    var byteCount: Int { state.withLock { $0.byteCount } }

    /// The hash of all bytes so far, in hexadecimal.
    var sha256: String { Hex.encode(state.withLock { $0.sha256 }.finalize()) }

    func append(_ bytes: UnsafeRawBufferPointer) throws {
        try state.withLock { state in
            state.sha256.update(bufferPointer: bytes)
            var done = 0
            while done < bytes.count {
                let count = pwrite(descriptor, bytes.baseAddress! + done, bytes.count - done, off_t(state.byteCount + done))
                if count < 0, errno == EINTR { continue }
                guard count > 0 else { throw BlobError("writing a temporary file", errno) }
                done += count
            }
            state.byteCount += bytes.count
        }
    }

    fileprivate func read(_ range: Range<Int>) throws -> ByteBuffer {
        var buffer = ByteBufferAllocator().buffer(capacity: range.count)
        while buffer.readableBytes < range.count {
            let offset = range.lowerBound + buffer.readableBytes
            try buffer.writeWithUnsafeMutableBytes(minimumWritableBytes: range.upperBound - offset) { target in
                while true {
                    let count = pread(descriptor, target.baseAddress, range.upperBound - offset, off_t(offset))
                    if count > 0 { return count }
                    guard count < 0, errno == EINTR else { throw BlobError("reading a temporary file", count < 0 ? errno : EIO) }
                }
            }
        }
        return buffer
    }

    /// The first `byteCount` bytes, for one attempt to send them.
    func body(byteCount: Int) -> Body { Body(self, byteCount: byteCount) }
}

extension PartFile {
    /// The bytes of one attempt to send the file, in pieces.
    ///
    /// async-http-client 1.37 leaks a request whose response has a status of 300 or more and ends before the whole body was sent: it never
    /// resumes the task that waits to write the next piece (`Transaction.StateMachine.receiveResponseEnd`). That task, this object and one
    /// piece then stay in memory until the process ends. So the sender calls `release` when the attempt has ended, and the file does not
    /// stay. Nothing outside the library can resume the task.
    final class Body: AsyncSequence, Sendable {
        typealias Element = ByteBuffer

        /// Small, because a piece may stay in memory. NIO makes the sender wait when more than 64 KiB wait for the socket. So while one
        /// piece of this size waits, the next one is read from the file. Smaller pieces would only need more turns of the event loop.
        static let pieceByteCount = 65_536

        /// After so many bytes, the iterator waits for the event loops. The HTTP client hands a piece to its event loop and asks for the
        /// next one at once. It learns only from the event loop that the socket takes no more. So without this pause, a busy event loop
        /// gets up to 20 pieces of each part, which were half of the memory of uploads.
        static let aheadByteCount = 4 * pieceByteCount

        let byteCount: Int
        private let file: Mutex<PartFile?>
        /// Who sends the file. The HTTP client asks for the pieces outside the sender's task. This is no reference to the sender's request,
        /// because the client may keep this object.
        private let requester = Requester.current
        private let holdsTurn = Requester.holdsTurn

        fileprivate init(_ file: PartFile, byteCount: Int) {
            self.file = Mutex(file)
            self.byteCount = byteCount
        }

        /// Drops the reference to the file. A request that still sends the body fails.
        func release() { _ = file.withLock { $0.take() } }

        func makeAsyncIterator() -> Iterator { Iterator(body: self) }

        struct Iterator: AsyncIteratorProtocol {
            let body: Body
            var position = 0

            mutating func next() async throws -> ByteBuffer? {
                guard position < body.byteCount else { return nil }
                if position % Body.aheadByteCount == 0 { try await Self.waitForEventLoops() }
                guard let file = body.file.withLock({ $0 }) else { throw CancellationError() }
                let range = position..<Swift.min(position + Body.pieceByteCount, body.byteCount)
                position = range.upperBound
                let read: @Sendable () async throws -> ByteBuffer = { try await file.turns.perform { try file.read(range) } }
                return try await body.holdsTurn ? body.requester.runHoldingTurn(read) : body.requester.run(read)
            }

            /// Returns when all event loops have done what they had to do. One of them serves the request, but the HTTP client does not say
            /// which.
            private static func waitForEventLoops() async throws {
                for eventLoop in MultiThreadedEventLoopGroup.singleton.makeIterator() { try await eventLoop.submit {}.get() }
            }
        }
    }
}
