import Foundation
import HTTPTypes
import KeepsakeWire

extension Client {
    /// The time limit for a stream that sends nothing. A live stream sends something every 15 s.
    private static let silence: Duration = .seconds(45)
    /// The most bytes of an error response's body that the client reads.
    private static let maxRefusalByteCount = 65_536

    /// Opens a stream of server-sent events as the person who is signed in. Sends the request again only if the server refused the token.
    /// - Parameters:
    ///   - sessionID: the session that the stream belongs to.
    ///   - last: the id of the last event that the client has.
    /// - Returns: the body of the response.
    /// - Throws: `unsupported` when the transport has no streams; the server's error when it refuses the request; otherwise as `send`.
    func events<Input: Sendable, Output>(
        _ endpoint: Endpoint<Input, Output>, _ input: Input, sessionID: StoredSession.ID, after last: String?
    ) async throws -> AsyncThrowingStream<Data, any Error> {
        let route = Route(endpoint)
        var credential = try await session.credential(for: sessionID, through: self)
        let parts = try RequestParts(route, input)
        var request = HTTPRequest(
            method: route.method, scheme: base.scheme ?? "https", authority: base.authority, path: base.pathPrefix + parts.path)
        request.headerFields[.accept] = "text/event-stream"
        if let last { request.headerFields[.lastEventID] = last }
        var body = RequestBody.none
        if let json = parts.json {
            request.headerFields[.contentType] = "application/json"
            body = .data(json)
        }
        var hasRenewed = false
        while true {
            guard await session.isCurrent(credential) else { throw Self.sessionChanged }
            request.headerFields[.authorization] = "Bearer \(credential.accessToken)"
            let response = try await transport.stream(request, body: body, timeout: Self.silence)
            await session.observe(response.head)
            if 200..<300 ~= response.head.status.code {
                guard response.head.headerFields[.contentType]?.lowercased().hasPrefix("text/event-stream") == true else {
                    throw KeepsakeError(
                        .invalidResponse, "The response to \(route.path) is no stream of events.", status: response.head.status.code,
                        requestID: response.head.headerFields[.xRequestID])
                }
                return response.body
            }
            if response.head.status == .unauthorized, !hasRenewed {
                hasRenewed = true
                credential = try await session.renewed(after: credential, through: self)
                continue
            }
            throw KeepsakeError(response.head, body: await Self.refusal(response.body), surface: route.surface)
        }
    }

    private static func refusal(_ body: AsyncThrowingStream<Data, any Error>) async -> Data {
        var data = Data()
        do {
            for try await piece in body {
                data.append(piece)
                if data.count > maxRefusalByteCount { break }
            }
        } catch {
            // If the body breaks off, the caller still makes the error from the status.
        }
        return data
    }
}

extension HTTPField.Name {
    fileprivate static let lastEventID = Self("Last-Event-ID")!
}
