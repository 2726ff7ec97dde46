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
    private static let pieceByteCount = 256 * 1_024

    private struct State: Sendable {
        var filling = ByteBuffer()
        var byteCount: Int64 = 0
    }

    /// Readable and writable. It belongs to this object.
    package let descriptor: CInt
    private let state = Mutex(State())

    /// Creates a file in `folder`, and the folder too if it does not exist. A crash within this call can leave an empty file with a name.
    /// - Throws: `BlobError`.
    package static func make(in folder: String, entropy: Entropy = .system) async throws -> TemporaryFile {
        try await NIOThreadPool.singleton.perform {
            try Disk.makeFolder(folder)
            // The name is like that of a blob, because `removeAll` uses `FolderListing`, which finds only such files.
            let path = "\(folder)/\(BlobKey(entropy: entropy).text)"
            let descriptor = try Disk.open(path, O_RDWR | O_CREAT | O_EXCL, "making a temporary file")
            let file = TemporaryFile(descriptor)
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

    private init(_ descriptor: CInt) { self.descriptor = descriptor }

    deinit {
        // Freeing the blocks of a large file takes time, and this may run on an event loop.
        NIOThreadPool.singleton.submit { [descriptor] _ in Disk.close(descriptor) }
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
            let piece = try await NIOThreadPool.singleton.perform { [self, offset] in
                var piece = ByteBufferAllocator().buffer(capacity: Self.pieceByteCount)
                try piece.writeWithUnsafeMutableBytes(minimumWritableBytes: Self.pieceByteCount) { bytes in
                    try Disk.read(descriptor, into: UnsafeMutableRawBufferPointer(rebasing: bytes[..<Self.pieceByteCount]), at: offset)
                }
                return piece
            }
            guard piece.readableBytes > 0 else { return }
            offset += Int64(piece.readableBytes)
            try await writer.append(piece)
        }
    }

    /// Makes all appended bytes visible to other processes.
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
        try await NIOThreadPool.singleton.perform { [self] in
            try bytes.withUnsafeReadableBytes { try Disk.write(descriptor, $0, at: offset) }
        }
    }
}
