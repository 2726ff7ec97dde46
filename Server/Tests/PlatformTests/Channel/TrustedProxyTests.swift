import Core
import Foundation
import HTTPTypes
import Hummingbird
import TestKit
import TestThreads
import Testing

@testable import HTTPServer
@testable import Web

@Suite("Client address behind proxies", .blocksThreads, .runsAlone)
struct TrustedProxyTests {
    private static let proxies = "127.0.0.1, 10.0.0.0/8,2001:db8:1::/48"

    struct Sample: Sendable, CustomTestStringConvertible {
        let peer: String
        let fields: [(String, String)]
        let client: String
        var isSecure: Bool?
        var testDescription: String { "\(peer) \(fields) → \(client)" }
    }

    static let samples: [Sample] = [
        Sample(peer: "127.0.0.1", fields: [], client: "127.0.0.1"),
        Sample(peer: "127.0.0.1", fields: [("X-Forwarded-For", "192.0.2.7")], client: "192.0.2.7"),
        Sample(peer: "127.0.0.1", fields: [("X-Forwarded-For", "6.6.6.6, 192.0.2.7")], client: "192.0.2.7"),
        Sample(peer: "127.0.0.1", fields: [("X-Forwarded-For", "192.0.2.7, 10.1.2.3")], client: "192.0.2.7"),
        Sample(
            peer: "127.0.0.1", fields: [("X-Forwarded-For", "6.6.6.6"), ("X-Forwarded-For", "192.0.2.7,10.1.2.3")], client: "192.0.2.7"),
        Sample(peer: "127.0.0.1", fields: [("X-Forwarded-For", "10.3.3.3, 10.1.2.3")], client: "10.3.3.3"),
        Sample(peer: "127.0.0.1", fields: [("X-Forwarded-For", "192.0.2.7:4711")], client: "192.0.2.7"),
        Sample(peer: "127.0.0.1", fields: [("X-Forwarded-For", "2001:db8::7")], client: "2001:db8::7"),
        Sample(peer: "127.0.0.1", fields: [("X-Forwarded-For", "[2001:db8::7]:80")], client: "2001:db8::7"),
        Sample(peer: "::ffff:127.0.0.1", fields: [("X-Forwarded-For", "::ffff:192.0.2.7")], client: "192.0.2.7"),
        Sample(peer: "2001:db8:1::5", fields: [("X-Forwarded-For", "192.0.2.7")], client: "192.0.2.7"),
        // From any other peer the field is ignored.
        Sample(peer: "192.0.2.9", fields: [("X-Forwarded-For", "127.0.0.1"), ("X-Forwarded-Proto", "https")], client: "192.0.2.9"),
        Sample(peer: "2001:db8:2::5", fields: [("Forwarded", "for=127.0.0.1;proto=https")], client: "2001:db8:2::5"),
        Sample(peer: "127.0.0.1", fields: [("Forwarded", "for=192.0.2.7")], client: "192.0.2.7"),
        Sample(
            peer: "127.0.0.1", fields: [("Forwarded", "For=\"192.0.2.7:80\";Proto=HTTPS;by=10.0.0.1")], client: "192.0.2.7", isSecure: true),
        Sample(
            peer: "127.0.0.1", fields: [("Forwarded", "for=6.6.6.6, for=\"[2001:db8::17]:47011\" ; proto=http")], client: "2001:db8::17",
            isSecure: false),
        Sample(peer: "127.0.0.1", fields: [("Forwarded", "for=192.0.2.7, for=10.9.9.9;proto=https")], client: "192.0.2.7", isSecure: true),
        Sample(peer: "127.0.0.1", fields: [("Forwarded", "for=6.6.6.6,for=unknown")], client: "127.0.0.1"),
        Sample(peer: "127.0.0.1", fields: [("Forwarded", "for=6.6.6.6,for=_hidden,for=10.1.1.1")], client: "10.1.1.1"),
        Sample(peer: "127.0.0.1", fields: [("Forwarded", "for=\"\\1\\9\\2.0.2.7\"")], client: "192.0.2.7"),
        // A quoted comma is not a separator.
        Sample(peer: "127.0.0.1", fields: [("Forwarded", "for=192.0.2.7;host=\"a,for=6.6.6.6\"")], client: "192.0.2.7"),
        // A value that cannot be parsed is ignored.
        Sample(peer: "127.0.0.1", fields: [("Forwarded", "for=192.0.2.7;host=\"a")], client: "127.0.0.1"),
        Sample(peer: "127.0.0.1", fields: [("Forwarded", "for=192.0.2.7;for=6.6.6.6")], client: "127.0.0.1"),
        Sample(peer: "127.0.0.1", fields: [("Forwarded", "for 192.0.2.7")], client: "127.0.0.1"),
        Sample(peer: "127.0.0.1", fields: [("Forwarded", "for=")], client: "127.0.0.1"),
        Sample(peer: "127.0.0.1", fields: [("X-Forwarded-For", "")], client: "127.0.0.1"),
        Sample(peer: "127.0.0.1", fields: [("X-Forwarded-For", "192.0.2.7,")], client: "127.0.0.1"),
        Sample(peer: "127.0.0.1", fields: [("X-Forwarded-For", "192.0.2.777")], client: "127.0.0.1"),
        Sample(peer: "127.0.0.1", fields: [("X-Forwarded-For", "fe80::1%eth0")], client: "127.0.0.1"),
        Sample(peer: "127.0.0.1", fields: [("X-Forwarded-For", "192.0.2.7\u{0B}")], client: "127.0.0.1"),
        // Both fields are present and disagree, because the client sent one of them and the proxy passed it on.
        Sample(peer: "127.0.0.1", fields: [("Forwarded", "for=6.6.6.6"), ("X-Forwarded-For", "192.0.2.7")], client: "127.0.0.1"),
        Sample(peer: "127.0.0.1", fields: [("Forwarded", "for=192.0.2.7"), ("X-Forwarded-For", "192.0.2.7")], client: "192.0.2.7"),
        Sample(peer: "127.0.0.1", fields: [("X-Forwarded-Proto", "https")], client: "127.0.0.1", isSecure: true),
        Sample(peer: "127.0.0.1", fields: [("X-Forwarded-Proto", "https, http")], client: "127.0.0.1", isSecure: false),
        Sample(peer: "127.0.0.1", fields: [("X-Forwarded-Proto", "gopher")], client: "127.0.0.1"),
    ]

    @Test("only a trusted proxy's fields count, from the nearest hop outwards", arguments: samples)
    func clients(_ sample: Sample) throws {
        let proxies = try #require(TrustedProxies(Self.proxies))
        var fields = HTTPFields()
        for (name, value) in sample.fields {
            fields.append(HTTPField(name: try #require(HTTPField.Name(name)), lenientValue: Array(value.utf8)))
        }
        let client = proxies.client(peer: try #require(IPAddress(sample.peer)), fields: fields)
        #expect(client.address.description == sample.client)
        #expect(client.isSecure == sample.isSecure)
        #expect(TrustedProxies.none.client(peer: try #require(IPAddress(sample.peer)), fields: fields).isSecure == nil)
    }

    @Test(
        "an invalid list of addresses and blocks is refused",
        arguments: [
            "", ",", "127.0.0.1,", "localhost", "10.0.0.0/33", "10.0.0.0/", "10.0.0.0/-1", "10.0.0.0/8/8", "::/129", "10.0.0", "*",
            "fe80::1%lo",
        ])
    func lists(_ text: String) { #expect(TrustedProxies(text) == nil) }

    @Test("a block covers the addresses of its prefix, and all spellings of an address are equal")
    func blocks() throws {
        for (block, inside, outside) in [
            ("0.0.0.0/0", "255.255.255.255", "2001:db8::1"), ("10.0.0.0/8", "10.255.0.1", "11.0.0.0"),
            ("192.0.2.128/25", "192.0.2.255", "192.0.2.127"),
            ("::/0", "192.0.2.1", nil), ("2001:db8::/33", "2001:db8:7fff::", "2001:db8:8000::"),
            ("::ffff:10.0.0.0/104", "10.1.1.1", "11.1.1.1"),
        ] as [(String, String, String?)] {
            let block = try #require(AddressBlock(block))
            #expect(block.contains(try #require(IPAddress(inside))))
            if let outside { #expect(!block.contains(try #require(IPAddress(outside)))) }
        }
        #expect(IPAddress("::ffff:192.0.2.1") == IPAddress("192.0.2.1"))
        #expect(IPAddress("2001:DB8::0:1")?.description == "2001:db8::1")
        #expect(IPAddress("2001:db8:1:2:3::4")?.network == IPAddress("2001:db8:1:2:ffff::")?.network)
        #expect(IPAddress("192.0.2.1")?.network != IPAddress("192.0.2.2")?.network)
        for (address, network) in [
            ("192.0.2.1", "192.0.2.1"), ("::ffff:192.0.2.1", "192.0.2.1"), ("2001:db8:1:2:3::4", "2001:db8:1:2::"), ("::1", "::"),
            ("2001:db8::1", "2001:db8::"), ("2001:0:0:1::5", "2001:0:0:1::"), ("0:0:0:1::1", "0:0:0:1::"),
        ] {
            #expect(IPAddress(address)?.network.description == network)
        }
    }

    @Test("hostile fields take linear time and never crash")
    func hostile() async throws {
        let proxies = try #require(TrustedProxies(Self.proxies))
        let peer = try #require(IPAddress("127.0.0.1"))
        var generator = SplitMix64(seed: 3)
        let pieces = [
            "for=", "\"", "\\", ",", ";", "192.0.2.7", "[", "]", ":", "proto=", "https", " ", "\t", "_x", "unknown", "2001:db8::1", "=",
            "é", "10.0.0.1",
        ]
        for _ in 0..<5_000 {
            let text = (0..<Int.random(in: 0...12, using: &generator)).map { _ in pieces.randomElement(using: &generator) ?? "" }.joined()
            for name in [HTTPField.Name.forwarded, .xForwardedFor, .xForwardedProto] {
                _ = proxies.client(peer: peer, fields: [name: text])
            }
        }
        for text in [
            String(repeating: ",", count: 16_000), String(repeating: "10.0.0.1,", count: 1_700),
            String(repeating: "for=10.0.0.1;", count: 1_200),
        ] {
            let took = await Figure.measured(until: { $0 < .milliseconds(200) }) {
                ContinuousClock().measure { _ = proxies.client(peer: peer, fields: [.forwarded: text, .xForwardedFor: text]) }
            }
            #expect(took < .milliseconds(200))
        }
    }

    @Test("the request's address and scheme are those that the proxy forwards")
    func served() async throws {
        try await ChannelServer.run(
            proxies: try #require(TrustedProxies("127.0.0.1")),
            routes: { router in
                router.get("/who") { _, context in "\(context.peerAddress ?? "-") \(context.isSecure)" }
            }
        ) { server in
            let connection = try RawConnection(port: server.port)
            try connection.send("GET /who HTTP/1.1\r\nHost: a\r\nX-Forwarded-For: 6.6.6.6, 192.0.2.7\r\nX-Forwarded-Proto: https\r\n\r\n")
            #expect(try connection.answer().text == "192.0.2.7 true")
            try connection.send("GET /who HTTP/1.1\r\nHost: a\r\n\r\n")
            #expect(try connection.answer().text == "127.0.0.1 false")
        }
    }
}
