import AsyncHTTPClient
import Blobs
import NIOCore
import NIOHTTP1

/// Reads a range of an object on one event loop, which also serves the connection to the store: no piece changes threads or wakes a task.
/// When the connection breaks, another request continues from the last byte received.
///
/// `@unchecked Sendable`: its state is used on the event loop only.
final class S3BlobStream: BlobStream, @unchecked Sendable {
    private let reader: S3BlobReader
    private let client: S3Client
    private let eventLoop: any EventLoop
    /// The position of the next byte to receive.
    private var position: Int64
    private let limit: Int64
    /// The end of the range that the current request asks for.
    private var requestLimit: Int64
    private var mostRequestByteCount = Int64.max
    /// A piece that has arrived and that nobody has taken.
    private var ready: ByteBuffer?
    /// Completes when `ready` is taken; the store's next piece is read then.
    private var taken: EventLoopPromise<Void>?
    private var waiting: EventLoopPromise<ByteBuffer?>?
    private var response: S3StreamedResponse?
    /// The number of failures since the last byte arrived.
    private var failures = 0
    private var isPausing = false
    private var hasReceived = false
    private var hasCorrectedClock = false
    /// Why `next` fails once `ready` is taken.
    private var failure: (any Error)?

    /// - Parameter range: lies within the blob.
    init(_ reader: S3BlobReader, _ range: Range<Int64>, _ client: S3Client, on eventLoop: any EventLoop) {
        self.reader = reader
        self.client = client
        self.eventLoop = eventLoop
        position = range.lowerBound
        limit = range.upperBound
        requestLimit = position
        if let kept = reader.kept(range) {
            ready = kept
            position += Int64(kept.readableBytes)
        }
    }

    func limitRequests(to byteCount: Int) { mostRequestByteCount = Int64(byteCount) }

    func next() -> EventLoopFuture<ByteBuffer?> {
        eventLoop.preconditionInEventLoop()
        if let piece = ready {
            ready = nil
            take()
            return eventLoop.makeSucceededFuture(piece)
        }
        if let failure { return eventLoop.makeFailedFuture(failure) }
        guard position < limit else { return eventLoop.makeSucceededFuture(nil) }
        let promise = eventLoop.makePromise(of: ByteBuffer?.self)
        waiting = promise
        if response == nil, !isPausing { request() }
        return promise.futureResult
    }

    func end() {
        guard eventLoop.inEventLoop else { return eventLoop.execute { self.end() } }
        let response = response
        self.response = nil
        ready = nil
        // A response whose last byte has arrived ends by itself, and its connection then carries the next request.
        if position < requestLimit { response?.cancel() }
        take()
        fail(CancellationError())
    }

    private func request() {
        requestLimit = position + min(limit - position, mostRequestByteCount)
        let response = S3StreamedResponse(self, S3Names.blob(reader.key), position..<requestLimit)
        self.response = response
        response.begin(client, isRetry: failures > 0, on: eventLoop)
    }

    // MARK: What the response calls

    func receive(_ piece: ByteBuffer, of response: S3StreamedResponse) -> EventLoopFuture<Void> {
        guard response === self.response else { return eventLoop.makeFailedFuture(CancellationError()) }
        guard Int64(piece.readableBytes) <= requestLimit - position else {
            return eventLoop.makeFailedFuture(
                S3Error(operation: .getObject, status: 200, code: "the body is longer than the range"))
        }
        failures = 0
        hasReceived = true
        position += Int64(piece.readableBytes)
        client.received(piece.readableBytes, .getObject)
        if let waiting {
            self.waiting = nil
            waiting.succeed(piece)
            return eventLoop.makeSucceededVoidFuture()
        }
        ready = piece
        // Read to the body's end, so that the connection can carry the next request.
        guard position < requestLimit else { return eventLoop.makeSucceededVoidFuture() }
        let taken = eventLoop.makePromise(of: Void.self)
        self.taken = taken
        return taken.futureResult
    }

    /// - Parameter error: `nil` when the response ended without one.
    func ended(_ response: S3StreamedResponse, _ error: S3Error?) {
        guard response === self.response else { return }
        self.response = nil
        guard position < requestLimit else { return again() }
        let error = error ?? S3Error(operation: .getObject, status: nil, code: "the body ended too early")
        if error.status == 416 { return fail(BlobError.truncated(reader.key)) }
        if !hasCorrectedClock, client.correctClock(after: error) {
            hasCorrectedClock = true
            return again()
        }
        failures += 1
        // Once bytes have left for the reader, its response can no longer report an error; so the store gets more time then.
        guard error.isTemporary, failures < client.attempts * (hasReceived ? 2 : 1) else { return fail(error.blobError(reader.key)) }
        isPausing = true
        eventLoop.assumeIsolated().scheduleTask(in: TimeAmount(client.pauseLength(after: failures))) {
            self.isPausing = false
            self.again()
        }
    }

    // MARK: Steps

    /// Sends another request if somebody waits for its bytes; otherwise the next call of `next` does.
    private func again() {
        if waiting != nil, response == nil, position < limit { request() }
    }

    private func take() {
        let taken = taken
        self.taken = nil
        taken?.succeed()
    }

    private func fail(_ error: any Error) {
        if failure == nil { failure = error }
        let waiting = waiting
        self.waiting = nil
        waiting?.fail(error)
    }
}

/// The response to one request of an `S3BlobStream`.
///
/// `@unchecked Sendable`: its state is used on the stream's event loop only.
final class S3StreamedResponse: HTTPClientResponseDelegate, @unchecked Sendable {
    /// The most bytes of an error's description that are kept.
    private static let mostErrorByteCount = 65_536

    private let stream: S3BlobStream
    private let range: Range<Int64>
    private let request: S3Request
    private var task: HTTPClient.Task<Void>?
    private var head: HTTPResponseHead?
    private let begun = ContinuousClock.now
    /// Counts the attempt; `nil` once it has.
    private var observe: ((HTTPResponseHead?) -> Void)?
    /// The body of a response with an error status.
    private var description = ByteBuffer()

    init(_ stream: S3BlobStream, _ name: String, _ range: Range<Int64>) {
        self.stream = stream
        self.range = range
        request = S3Client.ranged(name, range)
    }

    func begin(_ client: S3Client, isRetry: Bool, on eventLoop: any EventLoop) {
        observe = { [begun, request] head in
            client.observe(
                request, head.map { (Int($0.status.code), $0.headers) }, after: ContinuousClock.now - begun, isRetry: isRetry)
        }
        do {
            let task = try client.start(request, self, on: eventLoop)
            self.task = task
            task.futureResult.whenComplete { result in
                self.task = nil
                self.count(nil)
                self.stream.ended(self, self.error(result, client))
            }
        } catch {
            count(nil)
            stream.ended(self, S3Client.error(error, request.operation))
        }
    }

    func cancel() { task?.cancel() }

    private func count(_ head: HTTPResponseHead?) {
        observe?(head)
        observe = nil
    }

    private func error(_ result: Result<Void, any Error>, _ client: S3Client) -> S3Error? {
        if let head, head.status.code >= 300 {
            return client.error(request, S3Response(status: Int(head.status.code), headers: head.headers, body: description))
        }
        guard case .failure(let error) = result else { return nil }
        return S3Client.error(error, request.operation)
    }

    func didReceiveHead(task: HTTPClient.Task<Void>, _ head: HTTPResponseHead) -> EventLoopFuture<Void> {
        self.head = head
        count(head)
        guard head.status.code < 300 else { return task.eventLoop.makeSucceededVoidFuture() }
        return task.eventLoop.makeCompletedFuture { try S3Client.checkRange(head.status, range) }
    }

    func didReceiveBodyPart(task: HTTPClient.Task<Void>, _ part: ByteBuffer) -> EventLoopFuture<Void> {
        guard let head, head.status.code < 300 else {
            var part = part
            let room = Self.mostErrorByteCount - description.readableBytes
            guard part.readableBytes <= room else {
                part.readSlice(length: room).map { _ = description.writeImmutableBuffer($0) }
                return task.eventLoop.makeFailedFuture(CancellationError())
            }
            description.writeBuffer(&part)
            return task.eventLoop.makeSucceededVoidFuture()
        }
        return stream.receive(part, of: self)
    }

    func didFinishRequest(task: HTTPClient.Task<Void>) {}
}
