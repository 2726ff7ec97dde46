import CPlatform
import Core
import NIOCore
import NIOPosix
import Synchronization

#if canImport(Glibc)
    import Glibc
#elseif canImport(Darwin)
    import Darwin
#endif

/// An open file. If the blob is deleted meanwhile, its readers can still read it.
final class LocalBlobReader: BlobReader {
    let key: BlobKey
    let byteCount: Int64
    private let descriptor: CInt
    private let store: LocalBlobStore

    /// Blocks.
    init(key: BlobKey, path: String, store: LocalBlobStore) throws {
        self.key = key
        self.store = store
        do {
            descriptor = try Disk.open(path, O_RDONLY, "opening a blob")
        } catch BlobError.system(_, code: ENOENT) {
            throw BlobError.missing(key)
        } catch BlobError.system(operation: _, code: let code) where code == EACCES || code == EPERM {
            throw BlobError.forbidden(key)
        }
        do {
            byteCount = try Disk.byteCount(of: descriptor)
        } catch {
            Disk.close(descriptor)
            throw error
        }
    }

    deinit {
        guard isDeleted else { return Disk.close(descriptor) }
        // Closing a deleted file frees its blocks, which may wait for the disk, and this may run on an event loop. The call counts for the
        // server, so it does not delay the writes of others.
        Requester.server.run {
            store.writes.start { [descriptor] _ in Disk.close(descriptor) }
        }
    }

    func chunks(in range: Range<Int64>, chunkSize: Int) -> BlobChunks {
        precondition(chunkSize > 0)
        let range = range.clamped(to: 0..<byteCount)
        return BlobChunks { ReadAhead(self, range, chunkSize, self.store.reads) }
    }

    func readCached(_ range: Range<Int64>, into buffer: inout ByteBuffer) -> Bool {
        let count = buffer.writeWithUnsafeMutableBytes(minimumWritableBytes: range.count) { target in
            max(0, keepsake_read_cached(descriptor, target.baseAddress, range.count, range.lowerBound))
        }
        // An error counts as no bytes. The caller then uses a read that may block, which fails again and reports the error.
        return count > 0
    }

    func read(_ range: Range<Int64>, on eventLoop: any EventLoop) -> EventLoopFuture<ByteBuffer> {
        store.reads.run(on: eventLoop) { try self.read(range) }
    }

    var unsafeDescriptor: CInt? { descriptor }

    func isCached(_ range: Range<Int64>) -> Bool { keepsake_is_cached(descriptor, range.lowerBound, range.count) == 1 }

    func cache(_ range: Range<Int64>, on eventLoop: any EventLoop) -> EventLoopFuture<Void> {
        store.reads.run(on: eventLoop) { try self.cache(range) }
    }

    /// Whether the file has no name any more. Blocks.
    var isDeleted: Bool { Disk.linkCount(of: descriptor) == 0 }

    private func cache(_ range: Range<Int64>) throws {
        guard try Disk.cache(descriptor, range) else { throw BlobError.truncated(key) }
    }

    func duplicateDescriptor() throws -> CInt? { try Disk.duplicate(descriptor, "sharing a blob") }

    fileprivate func read(_ range: Range<Int64>) throws -> ByteBuffer {
        let bytes = try Disk.read(descriptor, range)
        guard bytes.readableBytes == range.count else { throw BlobError.truncated(key) }
        return bytes
    }
}

/// Reads the next piece while the caller uses the last one.
private final class ReadAhead: BlobSource, Sendable {
    private let reader: LocalBlobReader
    private let end: Int64
    private let chunkSize: Int64
    private let reads: DiskTurns
    private let state: Mutex<State>

    private enum Ahead: Sendable {
        case nothing
        case reading
        case awaited(CheckedContinuation<ByteBuffer?, any Error>)
        case ready(Result<ByteBuffer, any Error>)
    }

    private struct State: Sendable {
        var position: Int64
        var ahead = Ahead.nothing
    }

    init(_ reader: LocalBlobReader, _ range: Range<Int64>, _ chunkSize: Int, _ reads: DiskTurns) {
        self.reader = reader
        self.chunkSize = Int64(chunkSize)
        self.reads = reads
        end = range.upperBound
        state = Mutex(State(position: range.lowerBound))
    }

    func next() async throws -> ByteBuffer? {
        let ready = state.withLock { state -> Result<ByteBuffer, any Error>? in
            guard case .ready(let result) = state.ahead else { return nil }
            state.ahead = .nothing
            return result
        }
        if let ready {
            let chunk = try ready.get()
            readAhead()
            return chunk
        }
        readAhead()
        let chunk = try await withCheckedThrowingContinuation { (continuation: CheckedContinuation<ByteBuffer?, any Error>) in
            state.withLock { state in
                switch state.ahead {
                case .reading: state.ahead = .awaited(continuation)
                case .ready(let result):
                    state.ahead = .nothing
                    continuation.resume(with: result.map { $0 })
                case .nothing: continuation.resume(returning: nil)
                case .awaited: preconditionFailure("Only one task at a time may read a blob's chunks.")
                }
            }
        }
        if chunk != nil { readAhead() }
        return chunk
    }

    /// Starts reading the next piece, unless it is being read, is ready, or does not exist.
    private func readAhead() {
        let range = state.withLock { state -> Range<Int64>? in
            guard case .nothing = state.ahead, state.position < end else { return nil }
            let range = state.position..<min(state.position + chunkSize, end)
            state.position = range.upperBound
            state.ahead = .reading
            return range
        }
        guard let range else { return }
        reads.start { [self] pool in
            let result = Result { () throws -> ByteBuffer in
                guard pool == .active else { throw BlobError.closed }
                return try reader.read(range)
            }
            let awaited = state.withLock { state -> CheckedContinuation<ByteBuffer?, any Error>? in
                // After a failure there is nothing more to read.
                if case .failure = result { state.position = end }
                if case .awaited(let continuation) = state.ahead {
                    state.ahead = .nothing
                    return continuation
                }
                state.ahead = .ready(result)
                return nil
            }
            awaited?.resume(with: result.map { $0 })
        }
    }
}
