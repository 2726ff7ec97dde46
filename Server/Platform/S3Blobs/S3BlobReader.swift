import AsyncHTTPClient
import Blobs
import Core
import NIOCore

/// A blob whose bytes are requested when they are read. It keeps the first bytes if `open` has received them, so that reading a small blob
/// is one request.
final class S3BlobReader: BlobReader {
    let key: BlobKey
    let byteCount: Int64
    let beginning: ByteBuffer
    private let client: S3Client

    init(key: BlobKey, byteCount: Int64, beginning: ByteBuffer, client: S3Client) {
        self.key = key
        self.byteCount = byteCount
        self.beginning = beginning
        self.client = client
    }

    var isRemote: Bool { true }

    func chunks(in range: Range<Int64>, chunkSize: Int) -> BlobChunks {
        precondition(chunkSize > 0)
        let range = range.clamped(to: 0..<byteCount)
        // A larger chunk would be joined from several pieces, in a larger buffer.
        return BlobChunks { [self] in S3ChunkSource(self, range, min(chunkSize, S3Client.mostReadByteCount), client) }
    }

    func stream(_ range: Range<Int64>, on eventLoop: any EventLoop) -> (any BlobStream)? {
        S3BlobStream(self, range.clamped(to: 0..<byteCount), client, on: eventLoop)
    }

    func readCached(_ range: Range<Int64>, into buffer: inout ByteBuffer) -> Bool {
        guard var slice = kept(range) else { return false }
        return buffer.writeBuffer(&slice) > 0
    }

    func read(_ range: Range<Int64>, on eventLoop: any EventLoop) -> EventLoopFuture<ByteBuffer> {
        guard range.lowerBound >= 0, range.upperBound <= byteCount else { return eventLoop.makeFailedFuture(BlobError.truncated(key)) }
        if let slice = kept(range), slice.readableBytes == range.count { return eventLoop.makeSucceededFuture(slice) }
        return eventLoop.makeFutureWithTask { [self] in
            var bytes = ByteBuffer()
            for try await chunk in chunks(in: range, chunkSize: max(range.count, 1)) { bytes.writeImmutableBuffer(chunk) }
            return bytes
        }
    }

    var unsafeDescriptor: CInt? { nil }

    func isCached(_ range: Range<Int64>) -> Bool { range.lowerBound >= 0 && range.upperBound <= Int64(beginning.readableBytes) }

    /// There is no page cache to read into; the next read sends a request.
    func cache(_ range: Range<Int64>, on eventLoop: any EventLoop) -> EventLoopFuture<Void> {
        range.lowerBound >= 0 && range.upperBound <= byteCount
            ? eventLoop.makeSucceededVoidFuture() : eventLoop.makeFailedFuture(BlobError.truncated(key))
    }

    func duplicateDescriptor() throws -> CInt? { nil }

    /// The part of `range` that lies in the first bytes, from the start of `range`.
    func kept(_ range: Range<Int64>) -> ByteBuffer? {
        let part = range.clamped(to: 0..<Int64(beginning.readableBytes))
        guard part.lowerBound == range.lowerBound, !part.isEmpty else { return nil }
        return beginning.getSlice(at: beginning.readerIndex + Int(part.lowerBound), length: part.count)
    }
}

/// Reads a range with one request. When the connection breaks, another request continues from the last byte received.
private final class S3ChunkSource: BlobSource {
    private let reader: S3BlobReader
    private let client: S3Client
    private let chunkSize: Int
    /// The position of the next byte to receive. The bytes before it have been returned or are in `buffer`.
    private var position: Int64
    private let end: Int64
    private var buffer = ByteBuffer()
    private var body: HTTPClientResponse.Body.AsyncIterator?
    /// The number of failures since the last byte arrived.
    private var failures = 0

    init(_ reader: S3BlobReader, _ range: Range<Int64>, _ chunkSize: Int, _ client: S3Client) {
        self.reader = reader
        self.client = client
        self.chunkSize = chunkSize
        position = range.lowerBound
        end = range.upperBound
        if let kept = reader.kept(range) {
            buffer = kept
            position += Int64(kept.readableBytes)
        }
    }

    func next() async throws -> ByteBuffer? {
        let left = Int64(buffer.readableBytes) + (end - position)
        guard left > 0 else { return nil }
        let wanted = Int(min(left, Int64(chunkSize)))
        // A piece of at least half the wanted size is returned as it arrived, because filling it up would copy it.
        while buffer.readableBytes < (wanted + 1) / 2 { try await receive() }
        return buffer.readSlice(length: min(wanted, buffer.readableBytes))
    }

    private func receive() async throws {
        do {
            if body == nil {
                body = try await client.get(S3Names.blob(reader.key), position..<end).body.makeAsyncIterator()
            }
            let received = try await client.connected(.getObject) { try await body?.next() }
            guard var received else { throw S3Error(operation: .getObject, status: nil, code: "the body ended too early") }
            // A body with more bytes than were requested is a fault of the store.
            if Int64(received.readableBytes) > end - position {
                throw S3Error(operation: .getObject, status: 200, code: "the body is longer than the range")
            }
            failures = 0
            position += Int64(received.readableBytes)
            client.received(received.readableBytes, .getObject)
            if buffer.readableBytes == 0 {
                buffer = received
            } else {
                // Append to a new buffer: the old one would also keep the bytes that were returned, and grow with every piece.
                var joined = ByteBufferAllocator().buffer(capacity: buffer.readableBytes + received.readableBytes)
                joined.writeBuffer(&buffer)
                joined.writeBuffer(&received)
                buffer = joined
            }
            // Read to the body's end, so that the connection can carry the next request.
            if position == end { _ = try? await body?.next() }
        } catch let error as S3Error {
            body = nil
            if error.status == 416 { throw BlobError.truncated(reader.key) }
            failures += 1
            guard error.isTemporary, failures < client.attempts else { throw error.blobError(reader.key) }
            try await client.pause(failures)
        }
    }
}
