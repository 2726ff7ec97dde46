public import Foundation
public import HTTPTypes

/// Sends single requests. It retries nothing and knows no tokens.
///
/// An app can inject its own, for example to send through a proxy. `URLSessionTransport` is the default.
public protocol Transport: Sendable {
    /// - Parameters:
    ///   - request: with scheme, authority, path and all header fields except `Content-Length`.
    ///   - timeout: of the whole exchange.
    ///   - progress: called with the fraction of the body that was sent, 0…1; never decreasing.
    /// - Throws: `KeepsakeError` with the code `network`, `timeout` or `cancelled`.
    func send(
        _ request: HTTPRequest, body: RequestBody, timeout: Duration, progress: TransportProgress?
    ) async throws -> TransportResponse

    /// Writes the body of a successful response to `file`, which appears there only when it is complete. The body of any other response is
    /// in the returned value.
    /// - Throws: as `send`; also an error of the file system.
    func download(
        _ request: HTTPRequest, to file: URL, timeout: Duration, progress: TransportProgress?
    ) async throws -> TransportResponse
}

/// Receives a fraction, 0…1, on any thread.
public typealias TransportProgress = @Sendable (Double) -> Void

/// The body of a request. Each attempt reads it again, so it must not change during a call.
public enum RequestBody: Sendable {
    case none
    case data(Data)
    /// Streamed from the disk; the memory that this takes does not depend on the file's size.
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
