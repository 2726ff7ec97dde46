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

/// The file of a writer, and the hash of its bytes. All methods block.
final class StagingFile: Sendable {
    private let path: String
    /// The folder of a resumable blob, whose file name must be durable too. `nil` when the blob is not resumable.
    private let folder: String?
    /// Bytes of the disk that must stay free.
    private let keptFree: Int64
    private let state: Mutex<State>

    private enum State: Sendable {
        /// No file yet: the first bytes create it, so that staging costs nothing.
        case untouched
        case open(Open)
        /// Complete, durable, closed.
        case finished
        case gone
    }

    fileprivate struct Open: Sendable {
        let descriptor: CInt
        let keptFree: Int64
        var sha256 = SHA256()
        var byteCount: Int64 = 0
        /// For a resumable blob, the number of bytes that are durable.
        var checkpoint: Int64 = 0
        /// The number of bytes that the kernel was told to write back.
        var writebackOffset: Int64 = 0
    }

    /// Write-back starts after this many bytes, so that the final sync has less to do. Measurements show that this speeds up one large
    /// upload and does not slow down eight concurrent uploads. With 4 MiB, it would slow them down.
    fileprivate static let writebackByteCount: Int64 = 16 << 20

    /// - Parameter folder: the folder of the file, for a resumable blob; otherwise `nil`.
    init(path: String, folder: String? = nil, keptFree: Int64) {
        self.path = path
        self.folder = folder
        self.keptFree = keptFree
        state = Mutex(.untouched)
    }

    /// Opens a checkpointed file, truncates it to the checkpoint, and hashes its bytes again.
    init(resuming path: String, folder: String, byteCount: Int64, keptFree: Int64, _ key: BlobKey) throws {
        self.path = path
        self.folder = folder
        self.keptFree = keptFree
        // The checkpoint was made before any bytes arrived, so no file was created.
        guard byteCount > 0 else {
            try Disk.remove(path)
            state = Mutex(.untouched)
            return
        }
        guard Disk.exists(path) else { throw BlobError.missing(key) }
        var file = Open(descriptor: try Disk.open(path, O_RDWR, "resuming a blob"), keptFree: keptFree)
        do {
            try file.takeUp(byteCount, key)
        } catch {
            Disk.close(file.descriptor)
            throw error
        }
        state = Mutex(.open(file))
    }

    var isResumable: Bool { folder != nil }

    /// Writes `batch` and waits until all bytes so far are durable.
    /// - Returns: the number of durable bytes.
    func checkpoint(_ batch: ByteBuffer) throws -> Int64 {
        try state.withLock { state in
            if case .untouched = state, batch.readableBytes == 0 { return 0 }
            var file = try open(state)
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

    /// Hashes and writes `batch`. After an error the file is deleted at once, which frees its disk space.
    func write(_ batch: ByteBuffer) throws {
        try state.withLock { state in
            var file = try open(state)
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

    /// Writes the last bytes and waits until all bytes are durable.
    func finish(_ batch: ByteBuffer, dated: Timestamp) throws -> (byteCount: Int64, sha256: String) {
        try state.withLock { state in
            var file = try open(state)
            state = .open(file)
            do {
                try file.write(batch, isLast: true)
                // The sweep uses the modification time: set it to the time of staging by the server's clock.
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

    /// Closes and deletes the file, also a finished one.
    func discard() { state.withLock { discard(&$0) } }

    /// Closes the file. The checkpointed bytes of a resumable blob stay; otherwise the file is deleted. A finished file stays, since it
    /// belongs to the owner of the `StagedBlob`.
    func leave() {
        state.withLock { state in
            if case .finished = state { return }
            giveUp(&state)
        }
    }

    private func open(_ state: State) throws -> Open {
        switch state {
        case .untouched: Open(descriptor: try Disk.open(path, O_WRONLY | O_CREAT | O_EXCL, "staging a blob"), keptFree: keptFree)
        case .open(let file): file
        case .finished, .gone: throw BlobError.ended
        }
    }

    private func giveUp(_ state: inout State) {
        guard isResumable, case .open(let file) = state, file.checkpoint > 0 else { return discard(&state) }
        // Free the disk space after the checkpoint now; `resume` would truncate it anyway.
        try? Disk.truncate(file.descriptor, to: file.checkpoint)
        Disk.close(file.descriptor)
        state = .gone
    }

    private func discard(_ state: inout State) {
        switch state {
        case .open(let file):
            // Delete the file before closing it, so that the kernel does not write back unneeded bytes.
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
        // Without a limit, or for a batch without bytes, there is nothing to compare, so the system call is skipped.
        if keptFree > 0, batch.readableBytes > 0, try Disk.freeByteCount(descriptor) - Int64(batch.readableBytes) < keptFree {
            throw BlobError.full
        }
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
