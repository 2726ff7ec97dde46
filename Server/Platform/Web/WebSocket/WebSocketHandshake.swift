import Core
import Crypto
import Foundation
import HTTPTypes
import Hummingbird

/// The opening handshake (RFC 6455 §4.2), the server's side of it, as far as headers tell.
enum WebSocketHandshake {
    static let version = "13"

    /// - Parameter canUpgrade: what the channel found: a GET over HTTP/1.1 without a body whose `Connection` names the upgrade. That
    ///   field is between the two ends of a connection, and does not get as far as here.
    /// - Returns: the value of `Sec-WebSocket-Accept`.
    /// - Throws: `.upgradeRequired` for a request that asks for no WebSocket, or for another version of it; `.invalid`.
    static func check(_ headers: HTTPFields, canUpgrade: Bool) throws -> String {
        guard lists(headers[values: .upgrade], "websocket") else {
            throw Problem(.upgradeRequired, "This address speaks WebSocket only: send Upgrade: websocket over HTTP/1.1.")
        }
        guard canUpgrade else {
            throw Problem(.invalid, "A WebSocket begins as a GET without a body over HTTP/1.1 with Connection: Upgrade.")
        }
        guard headers[values: .secWebSocketVersion] == [version] else {
            throw Problem(.upgradeRequired, "Only version 13 of WebSocket is spoken here.", field: "Sec-WebSocket-Version")
        }
        let keys = headers[values: .secWebSocketKey]
        // Foundation's decoder takes a few spellings of the same bytes; clients send exactly one.
        guard keys.count == 1, let bytes = Data(base64Encoded: keys[0]), bytes.count == 16, bytes.base64EncodedString() == keys[0] else {
            throw Problem(.invalid, "Sec-WebSocket-Key must be 16 bytes in base64.", field: "Sec-WebSocket-Key")
        }
        return accept(keys[0])
    }

    /// RFC 6455 §1.3. SHA-1 keeps nothing secret here; it proves that the server has read the key.
    static func accept(_ key: String) -> String {
        Data(Insecure.SHA1.hash(data: Data((key + "258EAFA5-E914-47DA-95CA-C5AB0DC85B11").utf8))).base64EncodedString()
    }

    static func response(accept: String) -> Response {
        Response(
            status: .switchingProtocols, headers: [.upgrade: "websocket", .connection: "Upgrade", .secWebSocketAccept: accept])
    }

    /// Whether a list of tokens, which may stand in several fields, has this one (RFC 9110 §7.8).
    private static func lists(_ values: [String], _ token: String) -> Bool {
        values.contains { value in value.split(separator: ",").contains { $0.trimmed.lowercased() == token } }
    }
}
