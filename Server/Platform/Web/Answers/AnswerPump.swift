import Blobs
import NIOCore
import NIOHTTPTypes

/// Sends a body over its channel, one piece after the other: the next is read only when the one before has left for the network.
///
/// Everything happens on the event loop. What the kernel has in its cache is read right there; the rest is read on the store's
/// threads. So a client that is fast costs no change of thread for a piece, and one that does not read costs one piece.
final class AnswerPump {
    enum Source {
        case nothing
        case bytes(ByteBuffer)
        case file(any BlobReader, Range<Int64>)
    }

    /// What one answer may send before the event loop's other connections get their turn.
    private static let turnByteCount = 256 * 1_024

    private let channel: any Channel
    private var window: AnswerWindow
    private var source = Source.nothing
    /// Used again for each piece, once nobody else holds it.
    private var buffer = ByteBuffer()
    /// A piece is being read, or has not left yet.
    private var isBusy = false
    private var isRunning = false
    private var promise: EventLoopPromise<Void>?

    init(_ channel: any Channel, _ window: AnswerWindow) {
        self.channel = channel
        self.window = window
    }

    /// Resolves when all of it has left. One source at a time.
    func send(_ source: Source) -> EventLoopFuture<Void> {
        precondition(promise == nil, "An answer is sent by one task.")
        let promise = channel.eventLoop.makePromise(of: Void.self)
        self.promise = promise
        self.source = source
        run()
        return promise.futureResult
    }

    /// Gives back what the window holds. After an error of `send` it has been given back already.
    func close() { window.close() }

    private func run() {
        // Where the network takes a piece at once, this is called within the write.
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
