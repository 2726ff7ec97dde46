internal import AsyncHTTPClient
internal import Foundation
internal import KeepsakeKit
internal import NIOCore
internal import NIOFoundationCompat
internal import Synchronization

/// The body of one request, as async-http-client sends it, and the file that it comes from.
struct AsyncHTTPBody: Sendable {
    let body: HTTPClientRequest.Body?
    private let file: OutgoingFile?

    /// - Throws: an error of the file system when the body is a file that cannot be read.
    init(_ body: RequestBody, _ progress: TransportProgress?) throws {
        switch body {
        case .none:
            self.body = nil
            self.file = nil
        case .data(let data):
            self.body = .bytes(ByteBuffer(data: data))
            self.file = nil
        case .file(let url):
            let file = try OutgoingFile(url, progress)
            self.body = .stream(file, length: .known(file.byteCount))
            self.file = file
        }
    }

    /// Closes the file. Call this when the response has ended. Before that, it would fail a request that still sends the file.
    func release() { file?.close() }
}

/// The bytes of a file, which is read while it is sent. The file is read only once.
///
/// async-http-client may keep this object and one piece in memory until the process ends (see `PartFile.Body` in S3Blobs). It does not keep
/// the file open after `close`.
private final class OutgoingFile: AsyncSequence, Sendable {
    typealias Element = ByteBuffer

    /// The size of a piece in bytes. It is small, because a piece may stay in memory. NIO makes the sender wait when more than 64 KiB wait
    /// for the socket, so larger pieces would not send more at a time.
    private static let pieceByteCount = 65_536

    private struct State {
        var handle: FileHandle?
        var sentByteCount: Int64 = 0
        var isClosed = false
    }

    let byteCount: Int64
    private let url: URL
    private let progress: TransportProgress?
    private let state = Mutex(State())

    init(_ url: URL, _ progress: TransportProgress?) throws {
        self.url = url
        self.progress = progress
        byteCount = Int64(try url.resourceValues(forKeys: [.fileSizeKey]).fileSize ?? 0)
    }

    func close() {
        state.withLock { state in
            state.isClosed = true
            try? state.handle?.close()
            state.handle = nil
        }
    }

    /// - Returns: `nil` at the end of the file.
    private func read() throws -> Data? {
        try state.withLock { state -> Data? in
            if state.isClosed {
                // The response may end before the library asks for a piece after the last one. That is not an error if all bytes were sent.
                guard state.sentByteCount == byteCount else { throw CancellationError() }
                return nil
            }
            let handle = try state.handle ?? FileHandle(forReadingFrom: url)
            state.handle = handle
            guard let data = try handle.read(upToCount: Self.pieceByteCount), !data.isEmpty else { return nil }
            state.sentByteCount += Int64(data.count)
            return data
        }
    }

    func makeAsyncIterator() -> Iterator { Iterator(file: self) }

    struct Iterator: AsyncIteratorProtocol {
        let file: OutgoingFile

        mutating func next() async throws -> ByteBuffer? {
            // When the library asks for the next piece, it has taken the previous one.
            if file.byteCount > 0 { file.progress?(Double(file.state.withLock { $0.sentByteCount }) / Double(file.byteCount)) }
            return try file.read().map { ByteBuffer(data: $0) }
        }
    }
}
