import Core
import HTTPTypes
import Synchronization
import TestKit
import Testing

@testable import Web

@Suite("The opening handshake")
struct WebSocketHandshakeTests {
    private static let right: [(String, String)] = [
        ("Upgrade", "websocket"), ("Sec-WebSocket-Version", "13"),
        ("Sec-WebSocket-Key", "dGhlIHNhbXBsZSBub25jZQ=="),
    ]

    private func status(_ headers: [(String, String)], canUpgrade: Bool = true) -> Int? {
        var fields = HTTPFields()
        for (name, value) in headers { fields.append(HTTPField(name: HTTPField.Name(name)!, value: value)) }
        return Result { try WebSocketHandshake.check(fields, canUpgrade: canUpgrade) }.status
    }

    @Test func `the example of RFC 6455 §1.3 is accepted with its own answer`() throws {
        #expect(WebSocketHandshake.accept("dGhlIHNhbXBsZSBub25jZQ==") == "s3pPLMBiTxaQ9kYGzzhZRbK+xOo=")
        #expect(status(Self.right) == nil)
        #expect(status([("Upgrade", "h2c")] + Self.right) == nil)
        #expect(status(Self.right.map { $0.0 == "Upgrade" ? ($0.0, "h2c, WebSocket") : $0 }) == nil)
        #expect(status(Self.right, canUpgrade: false) == 400)
        #expect(status([], canUpgrade: false) == 426)
    }

    @Test(
        arguments: [
            ("Upgrade", nil, 426), ("Upgrade", "h2c", 426), ("Upgrade", "websockets", 426),
            ("Sec-WebSocket-Version", nil, 426), ("Sec-WebSocket-Version", "8", 426), ("Sec-WebSocket-Version", "13, 8", 426),
            ("Sec-WebSocket-Key", nil, 400), ("Sec-WebSocket-Key", "", 400), ("Sec-WebSocket-Key", "dGhlIHNhbXBsZQ==", 400),
            ("Sec-WebSocket-Key", "dGhlIHNhbXBsZSBub25jZQ", 400), ("Sec-WebSocket-Key", "dGhlIHNhbXBsZSBub25jZR==", 400),
            ("Sec-WebSocket-Key", "dGhlIHNhbXBsZSBub25jZSBsb25n", 400),
        ] as [(String, String?, Int)])
    func `anything else is refused`(_ name: String, _ value: String?, _ expected: Int) {
        #expect(status(Self.right.filter { $0.0 != name } + (value.map { [(name, $0)] } ?? [])) == expected)
    }

    @Test func `a list of protocols with more than 256 bytes is not read`() {
        func status(_ upgrade: String) -> Int? {
            self.status(Self.right.map { $0.0 == "Upgrade" ? ($0.0, upgrade) : $0 })
        }
        let others = String(repeating: ",a", count: 123)
        #expect(status("websocket" + others) == nil)
        #expect(status("websocket" + others + ",a") == 426)
    }

    @Test func `a doubled key or version is refused`() {
        #expect(status(Self.right + [("Sec-WebSocket-Key", "dGhlIHNhbXBsZSBub25jZQ==")]) == 400)
        #expect(status(Self.right + [("Sec-WebSocket-Version", "13")]) == 426)
    }

    @Test(arguments: [
        ("https://app.example.org", true), ("HTTPS://App.Example.org", true), ("https://app.example.org:443", true),
        ("http://localhost:3000", true), ("https://api.example.org:8443", true), ("http://[::1]:9", true),
        ("https://api.example.org", false), ("http://app.example.org", false), ("https://app.example.org:444", false),
        ("https://app.example.org.evil.org", false), ("https://evil.org/https://app.example.org", false), ("null", false), ("", false),
        ("https://user@app.example.org", false), ("file://", false), ("https://", false), ("http://localhost", false),
    ])
    func `only our pages and those named may open a socket`(_ origin: String, _ isAllowed: Bool) {
        let origins = AllowedOrigins(
            publicURL: { "https://api.example.org:8443/base" },
            others: ["https://app.example.org", "http://localhost:3000", "http://[::1]:9"])
        #expect(origins.allows(origin) == isAllowed)
    }

    @Test func `an origin that is longer than any name, or not ASCII, is not parsed`() {
        let long = "https://" + String(repeating: "a.", count: 150) + "org"
        let origins = AllowedOrigins(publicURL: { "https://api.example.org" }, others: [long])
        #expect(AllowedOrigins.origin(long) == long)
        #expect(!origins.allows(long))
        #expect(!AllowedOrigins(publicURL: { long }).allows(long))
        let others = AllowedOrigins(publicURL: { "https://api.example.org" })
        #expect(!others.allows(long, sentTo: String(long.dropFirst(8)), isSecure: true))
        #expect(!AllowedOrigins.isReadable("https://b\u{FC}cher.example"))
        #expect(AllowedOrigins.isReadable("https://xn--bcher-kva.example"))
    }

    @Test func `an origin is compared with the public URL of now`() {
        let port = Atomic(1)
        let origins = AllowedOrigins(publicURL: { "http://localhost:\(port.load(ordering: .relaxed))" })
        #expect(origins.allows("http://localhost:1") && !origins.allows("http://localhost:2"))
        port.store(2, ordering: .relaxed)
        #expect(!origins.allows("http://localhost:1") && origins.allows("http://localhost:2"))
    }
}

extension Result {
    /// The error's status, if it is a `Problem`.
    fileprivate var status: Int? {
        guard case .failure(let error) = self else { return nil }
        return (error as? Problem)?.status
    }
}
