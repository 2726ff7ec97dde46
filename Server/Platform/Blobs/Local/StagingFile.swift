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
    /// Of a resumable blob: its name must be durable, too. `nil` for one that only this process writes.
    private let folder: String?
    private let state: Mutex<State>

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
        /// Of a resumable blob: up to where it is on the disk for good.
        var checkpoint: Int64 = 0
        /// Up to where the kernel was told to start writing.
        var writebackOffset: Int64 = 0
    }

    /// Writing to the disk starts every so many bytes, so that the sync at the end finds less left to do. Measured: one large upload
    /// gains, and eight at once lose nothing, which they do when it starts every 4 MiB.
    fileprivate static let writebackByteCount: Int64 = 16 << 20

    /// - Parameter folder: that it lies in, which makes the blob resumable.
    init(path: String, folder: String? = nil) {
        self.path = path
        self.folder = folder
        state = Mutex(.untouched)
    }

    /// Opens what was checkpointed, cuts off the rest, and hashes it again.
    init(resuming path: String, folder: String, byteCount: Int64, _ key: BlobKey) throws {
        self.path = path
        self.folder = folder
        // Nothing had come when the checkpoint was made, and no file was.
        guard byteCount > 0 else {
            try Disk.remove(path)
            state = Mutex(.untouched)
            return
        }
        guard Disk.exists(path) else { throw BlobError.missing(key) }
        var file = Open(descriptor: try Disk.open(path, O_RDWR, "resuming a blob"))
        do {
            try file.takeUp(byteCount, key)
        } catch {
            Disk.close(file.descriptor)
            throw error
        }
        state = Mutex(.open(file))
    }

    var isResumable: Bool { folder != nil }

    /// Writes `batch` and waits for everything so far to be on the disk.
    /// - Returns: how many bytes that is.
    func checkpoint(_ batch: ByteBuffer) throws -> Int64 {
        try state.withLock { state in
            if case .untouched = state, batch.readableBytes == 0 { return 0 }
            var file = try Self.open(path, state)
            state = .open(file)
            do {
                try file.write(batch, isLast: true)
                try Disk.sync(file.descriptor, "syncing a blob")
                if file.checkpoint == 0, let folder { try Disk.syncFolder(folder) }
                file.checkpoint = file.byteCount
                state = .open(file)
                return file.byteCount
            } catch {
                giveUp(&state)
                throw error
            }
        }
    }

    /// Hashes and writes; on a failure the file is gone at once, with the room it took.
    func write(_ batch: ByteBuffer) throws {
        try state.withLock { state in
            var file = try Self.open(path, state)
            state = .open(file)
            do {
                try file.write(batch)
                state = .open(file)
            } catch {
                giveUp(&state)
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
                giveUp(&state)
                throw error
            }
            Disk.close(file.descriptor)
            state = .finished
            return (file.byteCount, Hex.encode(file.sha256.finalize()))
        }
    }

    /// Closes and removes the file, also a finished one.
    func discard() { state.withLock { discard(&$0) } }

    /// Closes the file. What was checkpointed of a resumable blob stays for whoever resumes it; of another nothing does. A finished
    /// file belongs to whoever got the `StagedBlob`.
    func leave() {
        state.withLock { state in
            if case .finished = state { return }
            giveUp(&state)
        }
    }

    private static func open(_ path: String, _ state: State) throws -> Open {
        switch state {
        case .untouched: Open(descriptor: try Disk.open(path, O_WRONLY | O_CREAT | O_EXCL, "staging a blob"))
        case .open(let file): file
        case .finished, .gone: throw BlobError.ended
        }
    }

    private func giveUp(_ state: inout State) {
        guard isResumable, case .open(let file) = state, file.checkpoint > 0 else { return discard(&state) }
        // The room that the rest takes is given back now; whoever resumes cuts it off in any case.
        try? Disk.truncate(file.descriptor, to: file.checkpoint)
        Disk.close(file.descriptor)
        state = .gone
    }

    private func discard(_ state: inout State) {
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

    fileprivate mutating func takeUp(_ count: Int64, _ key: BlobKey) throws {
        guard try Disk.byteCount(of: descriptor) >= count else { throw BlobError.missing(key) }
        try Disk.truncate(descriptor, to: count)
        try withUnsafeTemporaryAllocation(byteCount: 262_144, alignment: 16) { buffer in
            while byteCount < count {
                let wanted = UnsafeMutableRawBufferPointer(rebasing: buffer[..<min(buffer.count, Int(count - byteCount))])
                let read = try Disk.read(descriptor, into: wanted, at: byteCount)
                guard read > 0 else { throw BlobError.truncated(key) }
                sha256.update(bufferPointer: UnsafeRawBufferPointer(rebasing: wanted[..<read]))
                byteCount += Int64(read)
            }
        }
        (checkpoint, writebackOffset) = (count, count)
    }
}
