internal import AsyncHTTPClient
package import Foundation
package import HTTPTypes
package import KeepsakeKit
internal import NIOCore
internal import NIOFoundationCompat
internal import NIOHTTP1
internal import NIOPosix
package import NIOSSL

/// KeepsakeKit's transport on async-http-client, with WebSockets, which URLSession does not have on Linux. It keeps connections open
/// between requests. After a redirect to another server it sends no credential.
package final class AsyncHTTPTransport: Transport {
    /// The most bytes of a response. A server must not be able to fill the client's memory.
    private static let maxByteCount = 64 * 1_048_576

    private let client: HTTPClient
    private let tls: TLSConfiguration

    package init(tls: TLSConfiguration = .makeClientConfiguration()) {
        self.tls = tls
        var configuration = HTTPClient.Configuration(tlsConfiguration: tls)
        configuration.redirectConfiguration = .follow(max: 5, allowCycles: false)
        configuration.timeout.connect = .seconds(15)
        // KeepsakeKit decides when to try again. If the library retried, the caller would not learn at once that there is no network.
        configuration.connectionPool.retryConnectionEstablishment = false
        // A small response could become a large one when it is decompressed.
        configuration.decompression = .disabled
        client = HTTPClient(configuration: configuration)
    }

    /// - Parameter authorities: a file with certificates in PEM, which are trusted instead of the system's.
    /// - Returns: `nil` if no certificate can be read from the file.
    package convenience init?(authorities: String) {
        guard let certificates = try? NIOSSLCertificate.fromPEMFile(authorities), !certificates.isEmpty else { return nil }
        var tls = TLSConfiguration.makeClientConfiguration()
        tls.trustRoots = .certificates(certificates)
        self.init(tls: tls)
    }

    deinit {
        let client = client
        client.shutdown { _ in withExtendedLifetime(client) {} }
    }

    package func send(
        _ request: HTTPRequest, body: RequestBody, timeout: Duration, progress: TransportProgress?
    ) async throws -> TransportResponse {
        try await limited(timeout, request) { [self] in
            let outgoing = try AsyncHTTPBody(body, progress)
            defer { outgoing.release() }
            let (head, body) = try await execute(request, outgoing)
            var data = Data()
            do {
                for try await var piece in body {
                    guard data.count + piece.readableBytes <= Self.maxByteCount else {
                        throw KeepsakeError(.invalidResponse, "The response is larger than 64 MB.")
                    }
                    data.append(piece.readData(length: piece.readableBytes) ?? Data())
                }
            } catch let error where head.status.code >= 400 && !(error is CancellationError) && !(error is KeepsakeError) {
                // A refusal that arrives before the whole request was sent often ends the connection too. Its status is what counts.
            }
            return TransportResponse(head: head, body: data)
        }
    }

    package func download(
        _ request: HTTPRequest, to file: URL, timeout: Duration, progress: TransportProgress?
    ) async throws -> TransportResponse {
        try await limited(timeout, request) { [self] in
            let (head, body) = try await execute(request, AsyncHTTPBody(.none, nil))
            guard 200..<300 ~= head.status.code else {
                return TransportResponse(head: head, body: Data(buffer: try await body.collect(upTo: Self.maxByteCount)))
            }
            // async-http-client reports a body that is shorter than announced as an error.
            let expected = head.headerFields[.contentLength].flatMap { Int64($0) } ?? 0
            let part = file.deletingLastPathComponent().appending(path: ".\(UUID().uuidString).part")
            do {
                try Data().write(to: part)
                let handle = try FileHandle(forWritingTo: part)
                defer { try? handle.close() }
                var received: Int64 = 0
                for try await piece in body {
                    try handle.write(contentsOf: piece.readableBytesView)
                    received += Int64(piece.readableBytes)
                    if expected > 0 { progress?(min(1, Double(received) / Double(expected))) }
                }
                // `moveItem` does not replace a file that exists.
                guard rename(part.path, file.path) == 0 else { throw CocoaError(.fileWriteUnknown) }
            } catch {
                try? FileManager.default.removeItem(at: part)
                throw error
            }
            return TransportResponse(head: head)
        }
    }

    package func connect(_ request: HTTPRequest, timeout: Duration) async throws -> TransportConnection {
        try await limited(timeout, request) { [tls] in try await SocketHandshake.connect(request, tls: tls, timeout: timeout) }
    }

    package func stream(_ request: HTTPRequest, body: RequestBody, timeout: Duration) async throws -> TransportStream {
        let (head, pieces) = try await limited(timeout, request) { [self] in
            let outgoing = try AsyncHTTPBody(body, nil)
            let (head, content) = try await execute(request, outgoing)
            return (head, BodyPieces(content.makeAsyncIterator(), of: outgoing))
        }
        return TransportStream(
            head: head,
            body: AsyncThrowingStream(unfolding: { [self] in try await limited(timeout, request) { try await pieces.next() } }))
    }

    private func execute(_ head: HTTPRequest, _ outgoing: AsyncHTTPBody) async throws -> (HTTPResponse, HTTPClientResponse.Body) {
        var request = HTTPClientRequest(url: "\(head.scheme ?? "https")://\(head.authority ?? "")\(head.path ?? "/")")
        request.method = HTTPMethod(rawValue: head.method.rawValue)
        for field in head.headerFields { request.headers.add(name: field.name.rawName, value: field.value) }
        request.body = outgoing.body
        // `limited` ends the exchange before this deadline, which the library requires.
        let response = try await client.execute(request, deadline: .distantFuture)
        return (HTTPResponse(response.status, response.headers), response.body)
    }

    /// Runs an exchange for at most `timeout`, and translates its errors.
    private func limited<Result: Sendable>(
        _ timeout: Duration, _ request: HTTPRequest, _ exchange: @escaping @Sendable () async throws -> Result
    ) async throws -> Result {
        guard timeout > .zero else { throw KeepsakeError(.timeout, "The request took too long.") }
        do {
            return try await withThrowingTaskGroup(of: Result?.self) { group in
                group.addTask { try await exchange() }
                group.addTask {
                    try await Task.sleep(for: timeout)
                    return nil
                }
                defer { group.cancelAll() }
                guard let result = try await group.next()?.flatMap({ $0 }) else {
                    throw KeepsakeError(.timeout, "The server did not respond in time.")
                }
                return result
            }
        } catch let error as KeepsakeError {
            throw error
        } catch {
            if Task.isCancelled || error is CancellationError { throw KeepsakeError(.cancelled, "The call was cancelled.") }
            // The network does not cause errors of the file system, such as a full disk, so they are not translated.
            if error is CocoaError || error is POSIXError { throw error }
            if let error = error as? HTTPClientError, [.deadlineExceeded, .readTimeout, .connectTimeout].contains(error) {
                throw KeepsakeError(.timeout, "The server did not respond in time.")
            }
            let server = "\(request.scheme ?? "https")://\(request.authority ?? "")"
            throw KeepsakeError(.network, "The server at \(server) could not be reached: \(Self.reason(error)).")
        }
    }

    /// Why there is no connection, in a few words for the user.
    private static func reason(_ error: any Error) -> String {
        if let fault = CertificateFault(error) { return fault.rawValue }
        return switch error {
        case let error as NIOConnectionError:
            // A name may have several addresses, and each failed attempt has an error. If there was no attempt, the name has no address.
            error.connectionErrors.first.map { reason($0.error) } ?? "its name has no address"
        case let error as IOError where error.errnoCode == ECONNREFUSED: "the connection was refused"
        case let error as IOError: String(cString: strerror(error.errnoCode)).lowercased()
        default: "\(error)"
        }
    }
}

extension HTTPResponse {
    init(_ status: HTTPResponseStatus, _ headers: HTTPHeaders) {
        var fields = HTTPFields()
        for (name, value) in headers {
            if let name = HTTPField.Name(name) { fields.append(HTTPField(name: name, value: value)) }
        }
        self.init(status: .init(code: Int(status.code), reasonPhrase: status.reasonPhrase), headerFields: fields)
    }
}

/// The body of a response. The library ends the exchange when the iterator is released.
///
/// `@unchecked Sendable`: only one task at a time asks for a piece.
private final class BodyPieces: @unchecked Sendable {
    private var iterator: HTTPClientResponse.Body.AsyncIterator
    private let request: AsyncHTTPBody

    init(_ iterator: HTTPClientResponse.Body.AsyncIterator, of request: AsyncHTTPBody) {
        self.iterator = iterator
        self.request = request
    }

    deinit { request.release() }

    func next() async throws -> Data? {
        guard var piece = try await iterator.next() else { return nil }
        return piece.readData(length: piece.readableBytes)
    }
}
