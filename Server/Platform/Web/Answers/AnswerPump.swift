import Blobs
import Core
import HTTPServer
import NIOCore
import NIOHTTPTypes

/// Sends a body over its channel in pieces. It reads a piece only when the previous one has left for the network.
///
/// Everything happens on the event loop, except that the blob store's threads read what the kernel does not have in its page cache. A fast
/// client therefore costs no thread switch for each piece, and a client that does not read costs the memory of one piece. On plain HTTP/1.1
/// the kernel sends a file itself, so the file's bytes are never in this process. In that case too, the blob store's threads first read
/// into the page cache what it lacks.
final class AnswerPump {
    enum Source {
        case nothing
        case bytes(ByteBuffer)
        case file(any BlobReader, Range<Int64>)
        /// The bytes come from another machine: first those that have arrived, then `left` further bytes.
        case remote(any BlobStream, ByteBuffer, left: Int64)
        /// The kernel sends the bytes.
        case region(SentFile, Range<Int64>)
    }

    /// After this many bytes of one response, the pump pauses, so that the event loop serves its other connections.
    private static let turnByteCount = 256 * 1_024

    private let channel: any Channel
    private var window: AnswerWindow
    private var regions: RegionSize?
    private var allowance: UnsentAllowance
    private var source = Source.nothing
    /// Whether the body ends with `source`.
    private var isLast = false
    /// Reused for each piece when nothing else references it.
    private var buffer = ByteBuffer()
    /// Whether a piece is being read or has not been sent yet.
    private var isBusy = false
    private var isRunning = false
    /// Bytes that were written since the event loop could last serve other connections. The channel may complete writes one after another
    /// without returning to the event loop, as long as the socket takes them.
    private var turn = 0
    private var promise: EventLoopPromise<Void>?

    /// Whether a source is being sent.
    var isSending: Bool { promise != nil }

    /// - Parameter regions: `nil` if the kernel cannot send files on this connection.
    init(_ channel: any Channel, _ window: AnswerWindow, _ regions: RegionSize?, _ allowance: UnsentAllowance) {
        self.channel = channel
        self.allowance = allowance
        self.window = window
        self.regions = regions
    }

    /// Resolves when all of `source` has left for the network. Send one source at a time.
    /// - Parameter isLast: also ends the body and closes the window.
    func send(_ source: Source, isLast: Bool = false) -> EventLoopFuture<Void> {
        precondition(promise == nil, "An answer is sent by one task.")
        let promise = channel.eventLoop.makePromise(of: Void.self)
        self.promise = promise
        self.isLast = isLast
        if case .file(let reader, let range) = source, regions != nil, let file = SentFile(reader) {
            self.source = .region(file, range)
        } else {
            self.source = source
        }
        run()
        return promise.futureResult
    }

    /// Ends the body, and returns the window's share of the budgets.
    func finish() {
        allowance.restoreLimit()
        window.close()
        channel.write(HTTPResponsePart.end(nil), promise: nil)
        channel.flush()
    }

    /// Returns the window's share of the budgets. After an error of `send` this has already happened.
    func close() {
        allowance.restoreLimit()
        window.close()
    }

    private func run() {
        // When the network takes a piece at once, the write calls `run` again before it returns.
        guard !isRunning else { return }
        isRunning = true
        defer { isRunning = false }
        while promise != nil, !isBusy {
            guard turn < Self.turnByteCount else {
                isBusy = true
                return LoopPass.next(on: channel.eventLoop) {
                    self.turn = 0
                    self.isBusy = false
                    self.run()
                }
            }
            step()
        }
    }

    private func step() {
        switch source {
        case .nothing: end(.success(()))
        case .bytes(var bytes):
            let count = bytes.readableBytes > 0 ? window.pieceByteCount(remaining: Int64(bytes.readableBytes)) : 0
            guard count > 0, let piece = bytes.readSlice(length: count) else {
                source = .nothing
                return
            }
            source = .bytes(bytes)
            write(piece)
        case .file(let reader, let range):
            guard !range.isEmpty else {
                source = .nothing
                return
            }
            step(reader, range)
        case .remote(let stream, let bytes, let left): step(stream, bytes, left: left)
        case .region(let file, let range):
            guard !range.isEmpty, let regions else {
                source = .nothing
                return
            }
            let region = range.lowerBound..<range.lowerBound + min(Int64(regions.byteCount), range.upperBound - range.lowerBound)
            allowance.adjustLimit(isFast: regions.isLargest, remaining: range.upperBound - region.upperBound)
            source = .region(file, region.upperBound..<range.upperBound)
            if file.reader.isCached(region) {
                write(file.region(region))
            } else {
                // The blob store's threads serve accounts and networks in turn, and no task tells them whose response this is.
                let cached = allowance.requester.run { file.reader.cache(region, on: channel.eventLoop) }
                wait(for: cached) { self.write(file.region(region)) }
            }
        }
    }

    private func step(_ reader: any BlobReader, _ range: Range<Int64>) {
        let count = window.pieceByteCount(remaining: range.upperBound - range.lowerBound)
        let piece = range.lowerBound..<range.lowerBound + Int64(count)
        buffer.clear()
        if reader.readCached(piece, into: &buffer) {
            source = .file(reader, range.lowerBound + Int64(buffer.readableBytes)..<range.upperBound)
            return write(buffer)
        }
        source = .file(reader, piece.upperBound..<range.upperBound)
        buffer = ByteBuffer()
        wait(for: allowance.requester.run { reader.read(piece, on: channel.eventLoop) }) { bytes in
            self.buffer = bytes
            self.write(bytes)
        }
    }

    private func step(_ stream: any BlobStream, _ bytes: ByteBuffer, left: Int64) {
        guard bytes.readableBytes > 0 else {
            return wait(for: stream.next()) { piece in
                // After an end without an error, the client would take the next response for the rest of the file.
                guard piece != nil || left == 0 else { return self.end(.failure(RemotePart.Truncated())) }
                self.source = piece.map { .remote(stream, $0, left: left - Int64($0.readableBytes)) } ?? .nothing
            }
        }
        var bytes = bytes
        let count = window.pieceByteCount(remaining: Int64(bytes.readableBytes))
        guard let piece = bytes.readSlice(length: count) else { return }
        // Over HTTP/2, the channel is that of a stream, which has no such limit.
        if regions != nil { allowance.adjustLimit(isFast: window.isLargest, remaining: left + Int64(bytes.readableBytes)) }
        source = .remote(stream, bytes, left: left)
        write(piece)
    }

    /// Continues with `body` when the blob store's threads have read.
    private func wait<Value: Sendable>(for future: EventLoopFuture<Value>, _ body: @escaping (Value) -> Void) {
        isBusy = true
        var isLater = false
        future.assumeIsolated().whenComplete { result in
            self.isBusy = false
            // While the future was not complete, the event loop served its other connections.
            if isLater { self.turn = 0 }
            switch result {
            case .success(let value): body(value)
            case .failure(let error): self.end(.failure(error))
            }
            self.run()
        }
        isLater = true
    }

    private func write(_ piece: ByteBuffer) {
        let written = writing(piece.readableBytes)
        channel.write(HTTPResponsePart.body(piece), promise: written)
        channel.flush()
    }

    private func write(_ region: FileRegion) {
        let written = writing(region.readableBytes)
        channel.triggerUserOutboundEvent(FileBody(region), promise: written)
        channel.flush()
    }

    /// - Returns: the promise for a piece that the caller writes now.
    private func writing(_ byteCount: Int) -> EventLoopPromise<Void> {
        isBusy = true
        turn += byteCount
        let start = NIODeadline.now()
        let written = channel.eventLoop.makePromise(of: Void.self)
        written.futureResult.assumeIsolated().whenComplete { result in
            self.isBusy = false
            switch result {
            case .success:
                let time = .now() - start
                self.window.left(after: time)
                self.regions?.left(after: time)
            case .failure(let error): self.end(.failure(error))
            }
            self.run()
        }
        return written
    }

    private func end(_ result: Result<Void, any Error>) {
        guard let promise else { return }
        self.promise = nil
        source = .nothing
        buffer = ByteBuffer()
        switch result {
        case .success: if isLast { finish() }
        case .failure: close()
        }
        promise.completeWith(result)
    }
}
