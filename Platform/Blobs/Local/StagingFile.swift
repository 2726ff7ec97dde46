import CPlatform
import Core
import Crypto
import NIOCore
import Synchronization

#if canImport(Glibc)
    import Glibc
#elseif canImport(Darwin)
    import Darwin
#endif

/// The file behind a writer, and the hash of what is in it. Every method blocks.
final class StagingFile: Sendable {
    private let path: String
    private let state = Mutex(State.untouched)

    private enum State: Sendable {
        /// No file yet: it is made with the first bytes, so that staging costs nothing.
        case untouched
        case open(Open)
        /// Whole, durable, closed.
        case finished
        case gone
    }

    fileprivate struct Open: Sendable {
        let descriptor: CInt
        var sha256 = SHA256()
        var byteCount: Int64 = 0
        /// Up to where the kernel was told to start writing.
        var writebackOffset: Int64 = 0
    }

    /// Writing to the disk starts every so many bytes, so that the sync at the end finds less left to do. Measured: one large upload
    /// gains, and eight at once lose nothing, which they do when it starts every 4 MiB.
    fileprivate static let writebackByteCount: Int64 = 16 << 20

    init(path: String) { self.path = path }

    /// Hashes and writes; on a failure the file is gone at once, with the room it took.
    func write(_ batch: ByteBuffer) throws {
        try state.withLock { state in
            var file = try Self.open(path, state)
            state = .open(file)
            do {
                try file.write(batch)
                state = .open(file)
            } catch {
                Self.discard(path, &state)
                throw error
            }
        }
    }

    /// Writes the last bytes and waits for all of them to be on the disk.
    func finish(_ batch: ByteBuffer, dated: Timestamp) throws -> (byteCount: Int64, sha256: String) {
        try state.withLock { state in
            var file = try Self.open(path, state)
            state = .open(file)
            do {
                try file.write(batch, isLast: true)
                // The age of the bytes by our clock, which the sweep goes by, and not by when the network delivered them.
                try Disk.setModificationTime(file.descriptor, dated)
                try Disk.sync(file.descriptor, "syncing a blob")
            } catch {
                Self.discard(path, &state)
                throw error
            }
            Disk.close(file.descriptor)
            state = .finished
            return (file.byteCount, Hex.encode(file.sha256.finalize()))
        }
    }

    /// Closes and removes the file.
    /// - Parameter evenFinished: a finished file belongs to whoever got the `StagedBlob`, unless they say otherwise.
    func discard(evenFinished: Bool) {
        state.withLock { state in
            if case .finished = state, !evenFinished { return }
            Self.discard(path, &state)
        }
    }

    private static func open(_ path: String, _ state: State) throws -> Open {
        switch state {
        case .untouched: Open(descriptor: try Disk.open(path, O_WRONLY | O_CREAT | O_EXCL, "staging a blob"))
        case .open(let file): file
        case .finished, .gone: throw BlobError.ended
        }
    }

    private static func discard(_ path: String, _ state: inout State) {
        switch state {
        case .open(let file):
            // Before it is closed: nobody need write back what nobody will read.
            _ = try? Disk.remove(path)
            Disk.close(file.descriptor)
        case .finished: _ = try? Disk.remove(path)
        case .untouched, .gone: break
        }
        state = .gone
    }
}

extension StagingFile.Open {
    fileprivate mutating func write(_ batch: ByteBuffer, isLast: Bool = false) throws {
        try batch.withUnsafeReadableBytes { bytes in
            sha256.update(bufferPointer: bytes)
            try Disk.write(descriptor, bytes, at: byteCount)
        }
        byteCount += Int64(batch.readableBytes)
        if !isLast, byteCount - writebackOffset >= StagingFile.writebackByteCount {
            keepsake_start_writeback(descriptor, writebackOffset, byteCount - writebackOffset)
            writebackOffset = byteCount
        }
    }
}
