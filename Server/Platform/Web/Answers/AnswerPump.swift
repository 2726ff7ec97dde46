import Blobs
import NIOCore
import NIOHTTPTypes

/// Sends a body over its channel in pieces. It reads a piece only when the previous one has left for the network.
///
/// Everything happens on the event loop. It reads there what the kernel has in its page cache, and the rest on the blob store's threads. A
/// fast client therefore costs no thread switch for each piece, and a client that does not read costs the memory of one piece.
final class AnswerPump {
    enum Source {
        case nothing
        case bytes(ByteBuffer)
        case file(any BlobReader, Range<Int64>)
    }

    /// The most bytes that one response sends before the event loop serves its other connections.
    private static let turnByteCount = 256 * 1_024

    private let channel: any Channel
    private var window: AnswerWindow
    private var source = Source.nothing
    /// Reused for each piece when nothing else references it.
    private var buffer = ByteBuffer()
    /// Whether a piece is being read or has not left yet.
    private var isBusy = false
    private var isRunning = false
    private var promise: EventLoopPromise<Void>?

    init(_ channel: any Channel, _ window: AnswerWindow) {
        self.channel = channel
        self.window = window
    }

    /// Resolves when all of `source` has left for the network. Send one source at a time.
    func send(_ source: Source) -> EventLoopFuture<Void> {
        precondition(promise == nil, "An answer is sent by one task.")
        let promise = channel.eventLoop.makePromise(of: Void.self)
        self.promise = promise
        self.source = source
        run()
        return promise.futureResult
    }

    /// Returns the window's share of the budgets. After an error of `send` this has already happened.
    func close() { window.close() }

    private func run() {
        // When the network takes a piece at once, the write calls this before it returns.
        guard !isRunning else { return }
        isRunning = true
        defer { isRunning = false }
        var sent = 0
        while promise != nil, !isBusy {
            guard sent < Self.turnByteCount else {
                isBusy = true
                return channel.eventLoop.assumeIsolated().execute {
                    self.isBusy = false
                    self.run()
                }
            }
            sent += step()
        }
    }

    /// - Returns: how many bytes were written.
    private func step() -> Int {
        switch source {
        case .nothing:
            finish(.success(()))
            return 0
        case .bytes(var bytes):
            let count = bytes.readableBytes > 0 ? window.pieceByteCount(remaining: Int64(bytes.readableBytes)) : 0
            guard count > 0, let piece = bytes.readSlice(length: count) else {
                source = .nothing
                return 0
            }
            source = .bytes(bytes)
            write(piece)
            return count
        case .file(let reader, let range):
            guard !range.isEmpty else {
                source = .nothing
                return 0
            }
            let count = window.pieceByteCount(remaining: range.upperBound - range.lowerBound)
            let piece = range.lowerBound..<range.lowerBound + Int64(count)
            buffer.clear()
            if reader.readCached(piece, into: &buffer) {
                source = .file(reader, range.lowerBound + Int64(buffer.readableBytes)..<range.upperBound)
                let count = buffer.readableBytes
                write(buffer)
                return count
            }
            source = .file(reader, piece.upperBound..<range.upperBound)
            isBusy = true
            buffer = ByteBuffer()
            reader.read(piece, on: channel.eventLoop).assumeIsolated().whenComplete { result in
                self.isBusy = false
                switch result {
                case .success(let bytes):
                    self.buffer = bytes
                    self.write(bytes)
                case .failure(let error): self.finish(.failure(error))
                }
                self.run()
            }
            return 0
        }
    }

    private func write(_ piece: ByteBuffer) {
        isBusy = true
        let start = NIODeadline.now()
        let written = channel.eventLoop.makePromise(of: Void.self)
        written.futureResult.assumeIsolated().whenComplete { result in
            self.isBusy = false
            switch result {
            case .success: self.window.left(after: .now() - start)
            case .failure(let error): self.finish(.failure(error))
            }
            self.run()
        }
        channel.write(HTTPResponsePart.body(piece), promise: written)
        channel.flush()
    }

    private func finish(_ result: Result<Void, any Error>) {
        guard let promise else { return }
        self.promise = nil
        source = .nothing
        buffer = ByteBuffer()
        if case .failure = result { window.close() }
        promise.completeWith(result)
    }
}
