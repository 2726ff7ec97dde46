import Blobs
import Core
import NIOCore

/// A part of a blob that is on another machine, read from there while it is sent.
///
/// `@unchecked Sendable`: one task at a time uses it, first the handler and then the task that writes the body.
final class RemotePart: @unchecked Sendable {
    /// The stream ended before its last byte.
    struct Truncated: Error {}

    /// The most bytes of a piece.
    private static let pieceByteCount = 128 * 1_024
    /// The most bytes of a request to the store when the budget for responses is used up. So all of these responses together hold at most
    /// 64 MiB.
    private static let leastRequestByteCount = 128 * 1_024

    private let connection: SharedBudget.Share
    private let stream: any BlobStream
    /// The piece that `init` has received; `nil` once `begin` has returned it.
    private var first: ByteBuffer?
    let byteCount: Int64

    /// Sends the request and waits for the first piece, so that a missing blob or an unavailable store fails before the head is sent.
    /// - Parameters:
    ///   - byteCount: the length of the stream, at least 1.
    ///   - slot: the bytes of three pieces count against its share of the budget.
    ///   - connection: the share of the connections to the object store; released with this object.
    /// - Throws: `BlobError`; `CancellationError` when the task is cancelled.
    init(
        _ stream: any BlobStream, byteCount: Int64, _ slot: AnswersInFlight.Slot, _ connection: SharedBudget.Share,
        on eventLoop: any EventLoop
    ) async throws {
        self.stream = stream
        self.byteCount = byteCount
        self.connection = connection
        // Count three pieces: one that is sent, and two that the store has read ahead.
        if (try? slot.bytes.grow(by: 3 * Self.pieceByteCount)) == nil { stream.limitRequests(to: Self.leastRequestByteCount) }
        first = try await withTaskCancellationHandler {
            try await eventLoop.flatSubmit { stream.next() }.get()
        } onCancel: {
            stream.end()
        }
    }

    deinit {
        end()
    }

    /// The stream with the piece that was received before the head was sent. Call it once.
    func begin() -> (first: ByteBuffer, stream: any BlobStream) {
        defer { first = nil }
        return (first ?? ByteBuffer(), stream)
    }

    /// Ends the request, even if the store has not delivered all bytes.
    func end() {
        first = nil
        stream.end()
        connection.release()
    }
}
