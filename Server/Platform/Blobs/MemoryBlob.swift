package import Core
import Crypto
package import NIOCore

/// Bytes in memory that are read like a blob, before they are stored or without being stored.
package final class MemoryBlob: BlobReader {
    package let key: BlobKey
    package let bytes: ByteBuffer
    /// 64 lower-case hexadecimal digits.
    package let sha256: String

    /// The part of a memory budget that the bytes use, for as long as anybody reads them.
    package let share: SharedBudget.Share?

    /// - Parameter key: names the bytes in errors. No blob is opened under it.
    package init(_ bytes: ByteBuffer, key: BlobKey, share: SharedBudget.Share?) {
        self.share = share
        self.bytes = bytes
        self.key = key
        sha256 = Hex.encode(bytes.withUnsafeReadableBytes { SHA256.hash(data: $0) })
    }

    package var byteCount: Int64 { Int64(bytes.readableBytes) }

    package func chunks(in range: Range<Int64>, chunkSize: Int) -> BlobChunks {
        precondition(chunkSize > 0)
        let range = range.clamped(to: 0..<byteCount)
        return BlobChunks { MemoryChunks(self.slice(range), chunkSize) }
    }

    package func readCached(_ range: Range<Int64>, into buffer: inout ByteBuffer) -> Bool {
        var slice = slice(range.clamped(to: 0..<byteCount))
        return buffer.writeBuffer(&slice) > 0
    }

    package func read(_ range: Range<Int64>, on eventLoop: any EventLoop) -> EventLoopFuture<ByteBuffer> {
        guard range.lowerBound >= 0, range.upperBound <= byteCount else { return eventLoop.makeFailedFuture(BlobError.truncated(key)) }
        return eventLoop.makeSucceededFuture(slice(range))
    }

    package var unsafeDescriptor: CInt? { nil }

    package func isCached(_ range: Range<Int64>) -> Bool { range.lowerBound >= 0 && range.upperBound <= byteCount }

    package func cache(_ range: Range<Int64>, on eventLoop: any EventLoop) -> EventLoopFuture<Void> {
        isCached(range) ? eventLoop.makeSucceededVoidFuture() : eventLoop.makeFailedFuture(BlobError.truncated(key))
    }

    package func duplicateDescriptor() throws -> CInt? { nil }

    /// `range` must lie within the bytes.
    private func slice(_ range: Range<Int64>) -> ByteBuffer {
        bytes.getSlice(at: bytes.readerIndex + Int(range.lowerBound), length: range.count) ?? ByteBuffer()
    }
}

/// Only one task at a time reads a blob's chunks, as `BlobSource` requires.
private final class MemoryChunks: BlobSource {
    private var rest: ByteBuffer
    private let chunkSize: Int

    init(_ bytes: ByteBuffer, _ chunkSize: Int) {
        rest = bytes
        self.chunkSize = chunkSize
    }

    func next() async throws -> ByteBuffer? {
        guard rest.readableBytes > 0 else { return nil }
        return rest.readSlice(length: min(chunkSize, rest.readableBytes))
    }
}
