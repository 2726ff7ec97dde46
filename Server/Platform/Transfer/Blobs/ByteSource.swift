import Blobs
import Core
import Crypto
package import NIOCore

/// Bytes that are read once, in pieces. Only one task at a time may call it.
package protocol ByteSource: AnyObject, Sendable {
    /// `nil` at the end.
    func next() async throws -> ByteBuffer?
}

/// The bytes of a blob, compared with its row at the end.
///
/// `@unchecked Sendable`: nothing guards the variables; `ByteSource` demands that one task at a time calls `next`.
final class CheckedBlob: ByteSource, @unchecked Sendable {
    /// `next` throws this error if the bytes differ from the row, so that the receiver stores nothing.
    struct Mismatch: Error {
        let key: BlobKey
    }

    private let row: BlobRow
    private let source: any ByteSource
    private let progress: @Sendable (Int) -> Void
    private var hash = SHA256()
    private var byteCount: Int64 = 0

    init(_ row: BlobRow, _ source: any ByteSource, progress: @escaping @Sendable (Int) -> Void) {
        self.row = row
        self.source = source
        self.progress = progress
    }

    func next() async throws -> ByteBuffer? {
        guard let piece = try await source.next() else {
            guard byteCount == row.byteCount, Hex.encode(hash.finalize()) == row.sha256 else { throw Mismatch(key: row.key) }
            return nil
        }
        piece.withUnsafeReadableBytes { hash.update(bufferPointer: $0) }
        byteCount += Int64(piece.readableBytes)
        guard byteCount <= row.byteCount else { throw Mismatch(key: row.key) }
        progress(piece.readableBytes)
        return piece
    }
}

/// The bytes of a blob of this installation.
///
/// `@unchecked Sendable`: nothing guards the iterator; `ByteSource` demands that one task at a time calls `next`.
final class BlobBytes: ByteSource, @unchecked Sendable {
    /// Keeps the blob open.
    private let reader: any BlobReader
    private var iterator: BlobChunks.Iterator

    init(_ reader: any BlobReader) {
        self.reader = reader
        iterator = reader.chunks(in: 0..<reader.byteCount).makeAsyncIterator()
    }

    func next() async throws -> ByteBuffer? { try await iterator.next() }
}
