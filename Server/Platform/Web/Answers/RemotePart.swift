import Blobs
import Core
import NIOCore

/// A part of a blob that is on another machine, read with one request to that machine. The object store sends only as fast as the pieces
/// are taken.
///
/// `@unchecked Sendable`: one task at a time uses it, first the handler and then the task that writes the body.
final class RemotePart: @unchecked Sendable {
    /// The usual size of a piece, in bytes. It is large enough that passing a piece to the connection's event loop costs little.
    private static let pieceByteCount = 128 * 1_024
    /// The size of a piece in bytes when the budget for responses is used up.
    private static let leastPieceByteCount = 16 * 1_024

    private let key: BlobKey
    private let connection: SharedBudget.Share
    private var chunks: BlobChunks.Iterator?
    /// The piece that `init` has received; `nil` once `next` has returned it.
    private var first: ByteBuffer?
    /// Bytes that the store has still to deliver.
    private var missingByteCount: Int64

    /// Sends the request and waits for the first piece, so that a missing blob or an unavailable store fails before the head is sent.
    /// - Parameters:
    ///   - range: lies within the blob and is not empty.
    ///   - slot: the bytes of two pieces count against its share of the budget.
    ///   - connection: the share of the connections to the object store; released at the end.
    /// - Throws: `BlobError`.
    init(
        _ reader: any BlobReader, _ range: Range<Int64>, _ slot: AnswersInFlight.Slot, _ connection: SharedBudget.Share
    ) async throws {
        key = reader.key
        self.connection = connection
        missingByteCount = range.upperBound - range.lowerBound
        // Count two pieces, because the store reads a piece ahead while the last one is sent.
        let hasShare = (try? slot.bytes.grow(by: 2 * Self.pieceByteCount)) != nil
        var chunks = reader.chunks(in: range, chunkSize: hasShare ? Self.pieceByteCount : Self.leastPieceByteCount).makeAsyncIterator()
        first = try await chunks.next()
        if first == nil { throw BlobError.truncated(key) }
        self.chunks = chunks
    }

    /// - Returns: `nil` after the last piece.
    /// - Throws: `BlobError.truncated` when the store delivers fewer or more bytes than the range has.
    func next() async throws -> ByteBuffer? {
        let piece: ByteBuffer?
        if let first {
            piece = first
            self.first = nil
        } else {
            piece = try await chunks?.next()
        }
        missingByteCount -= Int64(piece?.readableBytes ?? 0)
        guard missingByteCount >= 0, piece != nil || missingByteCount == 0 else { throw BlobError.truncated(key) }
        return piece
    }

    /// Ends the request, even if the store has not delivered all bytes.
    func end() {
        chunks = nil
        first = nil
        connection.release()
    }
}
