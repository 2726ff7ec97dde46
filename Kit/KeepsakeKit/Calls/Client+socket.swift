import Foundation
import HTTPTypes
import KeepsakeWire

extension Client {
    /// Opens a WebSocket as the person who is signed in.
    /// - Parameters:
    ///   - sessionID: the session that the socket belongs to.
    ///   - timeout: the time limit of each handshake.
    /// - Throws: `unsupported` when the transport has no WebSockets; the server's error when it refuses the handshake; otherwise as `send`.
    func connect<Input>(
        _ endpoint: SocketEndpoint<Input>, sessionID: StoredSession.ID, timeout: Duration, input: @Sendable (String) throws -> Input
    ) async throws -> any TransportSocket {
        var credential = try await session.credential(for: sessionID, through: self)
        let parts = try RequestParts(Route(endpoint), try input(credential.userID))
        var hasRenewed = false
        while true {
            guard await session.isCurrent(credential) else { throw Self.sessionChanged }
            var request = HTTPRequest(
                method: .get, scheme: base.scheme ?? "https", authority: base.authority, path: base.pathPrefix + parts.path)
            request.headerFields[.authorization] = "Bearer \(credential.accessToken)"
            let outcome: TransportConnection
            do { outcome = try await transport.connect(request, timeout: timeout) } catch { throw KeepsakeError(transport: error) }
            switch outcome {
            case .open(let socket):
                guard await session.isCurrent(credential) else {
                    socket.close()
                    throw Self.sessionChanged
                }
                return socket
            case .refused(let response):
                await session.observe(response.head)
                guard response.head.status == .unauthorized, !hasRenewed else {
                    throw KeepsakeError(response.head, body: response.body, surface: endpoint.surface)
                }
                hasRenewed = true
                credential = try await session.renewed(after: credential, through: self)
            }
        }
    }

    static let sessionChanged = KeepsakeError(.sessionChanged, "Somebody signed in or out during the call.")
}
