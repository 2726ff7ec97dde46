import NIOHTTP1
import Outbound
import Testing

@Suite("Outbound requests")
struct OutboundPolicyTests {
    @Test(
        "in production, requests may use https, and http to this machine; in development, http to any host",
        arguments: [
            ("https://a.example", true, true), ("http://127.0.0.1:8", true, true), ("http://localhost/x", true, true),
            ("http://[::1]:8/", true, true), ("http://a.example", false, true), ("http://10.0.0.7:9000/v1", false, true),
            ("http://127.0.0.1.evil.example", false, true), ("http://0x7f.0.0.1", false, true),
            ("http://localhost@evil.example", false, false), ("https://", false, false), ("ftp://127.0.0.1", false, false),
            ("https://a b", false, false), ("file:///etc/passwd", false, false), ("HTTPS://a", false, false), ("http:///x", false, false),
        ])
    func addresses(_ sample: (url: String, inProduction: Bool, inDevelopment: Bool)) {
        #expect(OutboundPolicy.production.allows(sample.url) == sample.inProduction)
        #expect(OutboundPolicy.development.allows(sample.url) == sample.inDevelopment)
    }

    @Test("no request is sent to an address that the policy does not allow")
    func refused() async throws {
        let outbound = OutboundHTTP(.production)
        await #expect(throws: OutboundHTTP.Failure.addressNotAllowed) {
            try await outbound.send(.init(.GET, "http://192.0.2.1/", timeout: .seconds(1)))
        }
    }
}
