import CPlatform
import Core
package import NIOCore

/// A complete temporary file that is read like a blob.
package final class TemporaryBlob: BlobReader {
    /// Names the bytes in errors. No blob is opened under it.
    package let key = BlobKey(entropy: .system)
    package let byteCount: Int64
    private let file: TemporaryFile

    /// - Parameter file: flushed, and not appended to any more.
    package init(_ file: TemporaryFile) {
        self.file = file
        byteCount = file.byteCount
    }

    package func chunks(in range: Range<Int64>, chunkSize: Int) -> BlobChunks {
        precondition(chunkSize > 0)
        let range = range.clamped(to: 0..<byteCount)
        return BlobChunks { TemporaryChunks(self, range, chunkSize) }
    }

    package func readCached(_ range: Range<Int64>, into buffer: inout ByteBuffer) -> Bool {
        let count = buffer.writeWithUnsafeMutableBytes(minimumWritableBytes: range.count) { target in
            max(0, keepsake_read_cached(file.descriptor, target.baseAddress, range.count, range.lowerBound))
        }
        return count > 0
    }

    package func read(_ range: Range<Int64>, on eventLoop: any EventLoop) -> EventLoopFuture<ByteBuffer> {
        TemporaryFile.threads.run(on: eventLoop) { try self.read(range) }
    }

    package var unsafeDescriptor: CInt? { file.descriptor }

    package func isCached(_ range: Range<Int64>) -> Bool { keepsake_is_cached(file.descriptor, range.lowerBound, range.count) == 1 }

    package func cache(_ range: Range<Int64>, on eventLoop: any EventLoop) -> EventLoopFuture<Void> {
        TemporaryFile.threads.run(on: eventLoop) {
            guard try Disk.cache(self.file.descriptor, range) else { throw BlobError.truncated(self.key) }
        }
    }

    package func duplicateDescriptor() throws -> CInt? { try Disk.duplicate(file.descriptor, "sharing a temporary file") }

    fileprivate func read(_ range: Range<Int64>) throws -> ByteBuffer {
        let bytes = try Disk.read(file.descriptor, range)
        guard bytes.readableBytes == range.count else { throw BlobError.truncated(key) }
        return bytes
    }
}

/// Only one task at a time reads a blob's chunks, as `BlobSource` requires.
private final class TemporaryChunks: BlobSource {
    private let blob: TemporaryBlob
    private let end: Int64
    private let chunkSize: Int64
    private var position: Int64

    init(_ blob: TemporaryBlob, _ range: Range<Int64>, _ chunkSize: Int) {
        self.blob = blob
        self.chunkSize = Int64(chunkSize)
        (position, end) = (range.lowerBound, range.upperBound)
    }

    func next() async throws -> ByteBuffer? {
        guard position < end else { return nil }
        let range = position..<min(position + chunkSize, end)
        position = range.upperBound
        return try await TemporaryFile.threads.perform { [blob] in try blob.read(range) }
    }
}
