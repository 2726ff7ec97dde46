import Core
import Crypto
import Foundation
import HTTPTypes
import Hummingbird

/// The server's side of the opening handshake (RFC 6455 §4.2), as far as header fields are concerned.
enum WebSocketHandshake {
    static let version = "13"
    /// The most bytes of all `Upgrade` fields. Clients send `websocket`. The event loop splits the list before it knows the caller.
    static let maxUpgradeByteCount = 256

    /// - Parameter canUpgrade: whether the channel can upgrade: a GET over HTTP/1.1 without a body whose `Connection` contains `upgrade`.
    ///   `Connection` is a hop-by-hop field and is not part of `headers`.
    /// - Returns: the value of `Sec-WebSocket-Accept`.
    /// - Throws: `.upgradeRequired` when the request does not ask for a WebSocket or asks for another version; `.invalid` when it is
    ///   malformed.
    static func check(_ headers: HTTPFields, canUpgrade: Bool) throws -> String {
        guard lists(headers[values: .upgrade], "websocket") else {
            throw Problem(.upgradeRequired, "This path supports only WebSocket: send Upgrade: websocket over HTTP/1.1.")
        }
        guard canUpgrade else {
            throw Problem(.invalid, "A WebSocket begins as a GET without a body over HTTP/1.1 with Connection: Upgrade.")
        }
        guard headers[values: .secWebSocketVersion] == [version] else {
            throw Problem(.upgradeRequired, "Only version 13 of WebSocket is supported.", field: "Sec-WebSocket-Version")
        }
        let keys = headers[values: .secWebSocketKey]
        // Foundation's decoder accepts several spellings of the same bytes; clients send the canonical one.
        guard keys.count == 1, let bytes = Data(base64Encoded: keys[0]), bytes.count == 16, bytes.base64EncodedString() == keys[0] else {
            throw Problem(.invalid, "Sec-WebSocket-Key must be 16 bytes in base64.", field: "Sec-WebSocket-Key")
        }
        return accept(keys[0])
    }

    /// The value of `Sec-WebSocket-Accept` for a key (RFC 6455 §1.3). SHA-1 protects no secret here; it proves that the server has read the
    /// key.
    static func accept(_ key: String) -> String {
        Data(Insecure.SHA1.hash(data: Data((key + "258EAFA5-E914-47DA-95CA-C5AB0DC85B11").utf8))).base64EncodedString()
    }

    static func response(accept: String) -> Response {
        Response(
            status: .switchingProtocols, headers: [.upgrade: "websocket", .connection: "Upgrade", .secWebSocketAccept: accept])
    }

    /// Whether a list of tokens, possibly in several fields, contains this one (RFC 9110 §7.8). A list that is too long contains none.
    private static func lists(_ values: [String], _ token: String) -> Bool {
        guard values.reduce(0, { $0 + $1.utf8.count }) <= maxUpgradeByteCount else { return false }
        return values.contains { value in value.split(separator: ",").contains { $0.trimmed.lowercased() == token } }
    }
}
