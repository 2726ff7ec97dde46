package import Core
package import NIOCore
import NIOPosix
import Synchronization

#if canImport(Glibc)
    import Glibc
#elseif canImport(Darwin)
    import Darwin
#endif

/// A file without a name. The kernel deletes it when the last process closes it, so that no crash leaves it behind. Only one task at a time
/// may append.
package final class TemporaryFile: Sendable {
    /// Bytes are written in pieces of this size, so that switching to another thread costs little.
    package static let pieceByteCount = 256 * 1_024
    /// The threads that make, write, read and close these files. The first file starts them, and they then run for as long as the process.
    static let threads = {
        let pool = NIOThreadPool(numberOfThreads: 4)
        pool.start()
        return DiskTurns(pool)
    }()

    private struct State: Sendable {
        var filling = ByteBuffer()
        var byteCount: Int64 = 0
    }

    /// Readable and writable. It belongs to this object.
    package let descriptor: CInt
    /// The part of a disk budget that the file uses. It is released when the file is closed.
    private let share: SharedBudget.Share?
    private let state = Mutex(State())

    /// Creates a file in `folder`, and the folder too if it does not exist. A crash within this call can leave an empty file with a name.
    /// - Throws: `BlobError`.
    package static func make(
        in folder: String, share: SharedBudget.Share? = nil, entropy: Entropy = .system
    ) async throws -> TemporaryFile {
        try await threads.perform {
            try Disk.makeFolder(folder)
            // The name is like that of a blob, because `removeAll` uses `FolderListing`, which finds only such files.
            let path = "\(folder)/\(BlobKey(entropy: entropy).text)"
            let descriptor = try Disk.open(path, O_RDWR | O_CREAT | O_EXCL, "making a temporary file")
            let file = TemporaryFile(descriptor, share)
            try Disk.remove(path)
            return file
        }
    }

    /// Deletes the files that crashes left in `folder`. Call it before the first `make`.
    package static func removeAll(in folder: String) async throws {
        try await NIOThreadPool.singleton.perform {
            guard Disk.exists(folder) else { return }
            _ = try FolderListing.removeAll(in: folder, olderThan: nil)
        }
    }

    private init(_ descriptor: CInt, _ share: SharedBudget.Share?) {
        self.descriptor = descriptor
        self.share = share
    }

    deinit {
        // Freeing the blocks of a large file takes time, and this may run on an event loop.
        Requester.server.run {
            Self.threads.start { [descriptor, share] _ in
                Disk.close(descriptor)
                share?.release()
            }
        }
    }

    /// The bytes appended so far. Those after the last `flush` may still be in memory.
    package var byteCount: Int64 { state.withLock { $0.byteCount + Int64($0.filling.readableBytes) } }

    /// - Throws: the error of a write, for example `BlobError.full`. The file is then unusable.
    package func append(_ bytes: ByteBuffer) async throws {
        let isFull = state.withLock { state in
            state.filling.writeImmutableBuffer(bytes)
            return state.filling.readableBytes >= Self.pieceByteCount
        }
        if isFull { try await flush() }
    }

    /// Appends the file's bytes to a blob, including those that another program wrote through the descriptor.
    package func copy(to writer: any BlobWriter) async throws {
        var offset: Int64 = 0
        while true {
            let piece = try await Self.threads.perform { [self, offset] in
                try Disk.read(descriptor, offset..<offset + Int64(Self.pieceByteCount))
            }
            guard piece.readableBytes > 0 else { return }
            offset += Int64(piece.readableBytes)
            try await writer.append(piece)
        }
    }

    /// Makes all appended bytes visible to other processes. Leaves `BlobLimits.keptFree` bytes of the disk free.
    /// - Throws: as `append`.
    package func flush() async throws {
        let (bytes, offset) = state.withLock { state in
            defer {
                state.byteCount += Int64(state.filling.readableBytes)
                state.filling = ByteBuffer()
            }
            return (state.filling, state.byteCount)
        }
        guard bytes.readableBytes > 0 else { return }
        try await Self.threads.perform { [self] in
            guard try Disk.freeByteCount(descriptor) >= BlobLimits.keptFree + Int64(bytes.readableBytes) else { throw BlobError.full }
            try bytes.withUnsafeReadableBytes { try Disk.write(descriptor, $0, at: offset) }
        }
    }
}
