public import Foundation
public import HTTPTypes

/// Sends single requests and opens WebSockets. It does not retry, and it does not handle tokens.
///
/// An app can pass its own transport, for example to send through a proxy. `URLSessionTransport` is the default.
public protocol Transport: Sendable {
    /// Sends a request and returns the response, whatever its status.
    /// - Parameters:
    ///   - request: the request with scheme, authority, path and all header fields except `Content-Length`.
    ///   - timeout: the time limit of the whole exchange.
    ///   - progress: called with the fraction of the body that was sent, 0…1, which never decreases.
    /// - Throws: `KeepsakeError` with the code `network`, `timeout` or `cancelled`.
    func send(
        _ request: HTTPRequest, body: RequestBody, timeout: Duration, progress: TransportProgress?
    ) async throws -> TransportResponse

    /// Writes the body of a successful response to `file`, which appears there only when it is complete. The body of any other response is
    /// in the returned value.
    /// - Throws: the same errors as `send`; also an error of the file system.
    func download(
        _ request: HTTPRequest, to file: URL, timeout: Duration, progress: TransportProgress?
    ) async throws -> TransportResponse

    /// Opens a WebSocket (RFC 6455). The default implementation throws `unsupported`; then the library gets live events by long polls.
    /// - Parameters:
    ///   - request: a GET request with the scheme `http` or `https`, without the header fields of the handshake.
    ///   - timeout: the time limit of the handshake.
    /// - Throws: `unsupported` when this transport does not support WebSockets; otherwise the same errors as `send`.
    func connect(_ request: HTTPRequest, timeout: Duration) async throws -> TransportConnection

    /// Sends a request, and returns when the response has begun, whatever its status. The default implementation throws `unsupported`; then
    /// the library gets each answer of a chat as a whole.
    /// - Parameter timeout: the longest time without a byte of the response.
    /// - Throws: `unsupported` when this transport does not support streams; otherwise the same errors as `send`.
    func stream(_ request: HTTPRequest, body: RequestBody, timeout: Duration) async throws -> TransportStream
}

extension Transport {
    public func connect(_ request: HTTPRequest, timeout: Duration) async throws -> TransportConnection {
        throw KeepsakeError(.unsupported, "This transport has no WebSockets.")
    }

    public func stream(_ request: HTTPRequest, body: RequestBody, timeout: Duration) async throws -> TransportStream {
        throw KeepsakeError(.unsupported, "This transport has no streams.")
    }
}

/// The outcome of a WebSocket's handshake.
public enum TransportConnection: Sendable {
    case open(any TransportSocket)
    /// The server refused the handshake: its response has another status than 101.
    case refused(TransportResponse)
}

/// An open WebSocket for texts. It answers pings by itself, and ends when the server sends nothing for too long. When the connection ends
/// or somebody closes the socket, a waiting `receive` or `send` ends.
public protocol TransportSocket: Sendable {
    /// Waits for the next text. Only one task at a time may wait. The socket buffers only a bounded number of unread bytes.
    /// - Throws: `KeepsakeError` with the code `network` once the socket has ended, no matter who closed it.
    func receive() async throws -> String

    /// - Throws: the same errors as `receive`.
    func send(_ text: String) async throws

    /// Closes the socket at once. A second call does nothing.
    func close()
}

/// Receives a fraction, 0…1, on any thread.
public typealias TransportProgress = @Sendable (Double) -> Void

/// The body of a request. Each attempt reads it again, so it must not change during a call.
public enum RequestBody: Sendable {
    case none
    case data(Data)
    /// The transport streams the file from the disk. Its memory use does not grow with the file.
    case file(URL)
}

public struct TransportResponse: Sendable {
    public var head: HTTPResponse
    /// At most 64 MB.
    public var body: Data

    public init(head: HTTPResponse, body: Data = Data()) {
        self.head = head
        self.body = body
    }
}

/// A response whose body is read while it arrives.
public struct TransportStream: Sendable {
    public var head: HTTPResponse
    /// The pieces of the body. The stream buffers only a bounded number of unread bytes. The exchange ends when nothing refers to the body
    /// any more, or when the task that waits for a piece is cancelled. The stream throws `KeepsakeError` with the code `network`, `timeout`
    /// or `cancelled`.
    public var body: AsyncThrowingStream<Data, any Error>

    public init(head: HTTPResponse, body: AsyncThrowingStream<Data, any Error>) {
        self.head = head
        self.body = body
    }
}
