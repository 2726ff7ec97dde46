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
/// short-lived: the kernel seldom writes its pages to the disk. Its methods block, except `chunks`.
final class PartFile: Sendable {
    private let descriptor: CInt
    private let threads: NIOThreadPool
    private let state = Mutex(State())

    private struct State: Sendable {
        var byteCount = 0
        var sha256 = SHA256()
    }

    /// Creates the file, and its folder if it does not exist.
    init(in folder: String, entropy: Entropy, threads: NIOThreadPool) throws {
        let path = "\(folder)/part-\(Hex.encode(entropy.bytes(8)))"
        var descriptor = open(path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0o600)
        if descriptor < 0, errno == ENOENT {
            mkdir(folder, 0o700)
            descriptor = open(path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0o600)
        }
        guard descriptor >= 0 else { throw BlobError("making a temporary file", errno) }
        unlink(path)
        self.descriptor = descriptor
        self.threads = threads
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

    /// The first `byteCount` bytes in pieces of at most 256 KiB.
    func chunks(byteCount: Int) -> Chunks { Chunks(file: self, byteCount: byteCount) }

    struct Chunks: AsyncSequence, Sendable {
        let file: PartFile
        let byteCount: Int

        func makeAsyncIterator() -> Iterator { Iterator(file: file, byteCount: byteCount) }

        struct Iterator: AsyncIteratorProtocol {
            let file: PartFile
            let byteCount: Int
            var position = 0

            mutating func next() async throws -> ByteBuffer? {
                guard position < byteCount else { return nil }
                let range = position..<Swift.min(position + 262_144, byteCount)
                position = range.upperBound
                return try await file.threads.perform { [file] in try file.read(range) }
            }
        }
    }
}
