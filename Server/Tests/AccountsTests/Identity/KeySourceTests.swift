import Core
import CryptoExtras
import Foundation
import HTTPTypes
import Logging
import Outbound
import TestKit
import Testing

@testable import Accounts
@testable import FeatureTestKit

@Suite("Keys of issuers")
struct KeySourceTests {
    private let clock = TestClock()

    private func source(_ standIn: IssuerStandIn, _ path: String = "/keys") -> KeySource {
        let url = standIn.url(.oidc) + path
        return KeySource(
            issuer: "test", outbound: OutboundHTTP(.production), clock: clock.wall,
            logger: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }
        ) { _ in url }
    }

    private func has(_ source: KeySource, _ kid: String) async throws -> Bool { try await source.key(kid) != nil }

    @Test("keys are fetched once, and again after max-age")
    func maxAge() async throws {
        try await IssuerStandIn.run { standIn async throws in
            let source = source(standIn)
            for _ in 0..<5 { #expect(try await has(source, "oidc-1")) }
            #expect(standIn.count("oidc/keys") == 1)
            clock.advance(by: .seconds(3_599))
            #expect(try await has(source, "oidc-1"))
            #expect(standIn.count("oidc/keys") == 1)
            clock.advance(by: .seconds(1))
            #expect(try await has(source, "oidc-1"))
            #expect(standIn.count("oidc/keys") == 2)
        }
    }

    @Test("five hundred concurrent callers cause one request")
    func stampede() async throws {
        try await IssuerStandIn.run { standIn async throws in
            standIn.change { $0.delay = .milliseconds(100) }
            let source = source(standIn)
            for round in 1...2 {
                let found = try await withThrowingTaskGroup(of: Bool.self) { group in
                    for _ in 0..<500 { group.addTask { try await has(source, "oidc-1") } }
                    return try await group.reduce(0) { $0 + ($1 ? 1 : 0) }
                }
                #expect(found == 500)
                #expect(standIn.count("oidc/keys") == round)
                clock.advance(by: .hours(1))
            }
        }
    }

    @Test("an unknown key causes one fetch, and then at most one every ten seconds")
    func unknown() async throws {
        try await IssuerStandIn.run { standIn async throws in
            let source = source(standIn)
            // The first fetch shows that the key is unknown, so no second fetch follows.
            #expect(try await !has(source, "unknown"))
            #expect(standIn.count("oidc/keys") == 1)
            for kid in ["a", "b", "c"] { #expect(try await !has(source, kid)) }
            #expect(standIn.count("oidc/keys") == 2)
            clock.advance(by: .seconds(9))
            #expect(try await !has(source, "d"))
            #expect(standIn.count("oidc/keys") == 2)
            clock.advance(by: .seconds(1))
            standIn.publish([("d", TestKeys.next)], for: .oidc)
            #expect(try await has(source, "d"))
            #expect(standIn.count("oidc/keys") == 3)
            // A key that is no longer published is no longer accepted.
            #expect(try await !has(source, "oidc-1"))
        }
    }

    @Test("a key requested during a running fetch is not reported missing by the result of that fetch")
    func overtaken() async throws {
        try await IssuerStandIn.run { standIn async throws in
            standIn.change { $0.delay = .milliseconds(300) }
            let source = source(standIn)
            async let first = source.key("oidc-1")
            // Waits until the response with the old keys is on its way.
            while standIn.count("oidc/keys") == 0 { try await Task.sleep(for: .milliseconds(5)) }
            standIn.publish([("oidc-1", TestKeys.oidc), ("oidc-2", TestKeys.next)], for: .oidc)
            #expect(try await has(source, "oidc-2"))
            let isKnown = try await first != nil
            #expect(isKnown)
            #expect(standIn.count("oidc/keys") == 2)
        }
    }

    @Test("while the issuer is unavailable, known keys work without delay and unknown ones are unavailable; fetches resume when it is back")
    func away() async throws {
        try await IssuerStandIn.run { standIn async throws in
            let source = source(standIn)
            #expect(try await has(source, "oidc-1"))
            standIn.change { $0.status = .serviceUnavailable }
            clock.advance(by: .hours(2))
            #expect(try await has(source, "oidc-1"))
            #expect(standIn.count("oidc/keys") == 2)
            standIn.change { $0.delay = .seconds(2) }
            clock.advance(by: .seconds(10))
            let start = ContinuousClock.now
            for _ in 0..<20 { #expect(try await has(source, "oidc-1")) }
            #expect(ContinuousClock.now - start < .seconds(1))
            standIn.change { $0.delay = .zero }
            let refused1 = await problem { try await source.key("unknown") as Any }
            #expect(refused1?.kind == .unavailable)
            clock.advance(by: .seconds(10))
            standIn.change { $0.status = nil }
            standIn.publish([("oidc-2", TestKeys.next)], for: .oidc)
            #expect(try await has(source, "oidc-2"))
            #expect(try await !has(source, "oidc-1"))
        }
    }

    @Test("keys are not accepted after a week")
    func tooOld() async throws {
        try await IssuerStandIn.run { standIn async throws in
            let source = source(standIn)
            #expect(try await has(source, "oidc-1"))
            standIn.change { $0.status = .badGateway }
            clock.advance(by: .days(7) - .seconds(1))
            #expect(try await has(source, "oidc-1"))
            clock.advance(by: .seconds(11))
            let refused2 = await problem { try await source.key("oidc-1") as Any }
            #expect(refused2?.kind == .unavailable)
        }
    }

    @Test(
        "a response that is too large, redirects or is not a key set counts as an unavailable issuer",
        arguments: ["", "[]", "{}", #"{"keys":[]}"#, "<html>", #"{"keys":[{"kty":"oct","kid":"oidc-1","k":"AAAA"}]}"#, "large", "redirect"])
    func unusable(_ document: String) async throws {
        try await IssuerStandIn.run { standIn async throws in
            standIn.change { state in
                switch document {
                case "large": state.documents[.oidc]? += String(repeating: " ", count: 300_000)
                case "redirect":
                    state.status = .found
                    state.location = standIn.url(.apple) + "/keys"
                default: state.documents[.oidc] = document
                }
            }
            let refused3 = await problem { try await source(standIn).key("oidc-1") as Any }
            #expect(refused3?.kind == .unavailable)
            #expect(standIn.count("apple/keys") == 0)
        }
    }

    @Test("a fetch without a response is abandoned after five seconds")
    func silent() async throws {
        try await IssuerStandIn.run { standIn async throws in
            standIn.change { $0.delay = .seconds(6) }
            let start = ContinuousClock.now
            let refused4 = await problem { try await source(standIn).key("oidc-1") as Any }
            #expect(refused4?.kind == .unavailable)
            #expect(ContinuousClock.now - start < .seconds(7))
        }
    }

    @Test("only keys that sign and are strong enough are taken from a key set")
    func selection() {
        let key = TestKeys.oidc
        func keys(_ entry: String) -> [String: IssuerKey] { IssuerKey.all(in: Array(#"{"keys":[7,\#(entry)]}"#.utf8)) }
        let good = #""kty":"RSA","kid":"a","n":"\#(key.n)","e":"\#(key.e)""#
        #expect(keys("{\(good)}")["a"]?.algorithm == "RS256")
        #expect(keys(#"{\#(good),"use":"enc"}"#).isEmpty)
        #expect(keys(#"{\#(good),"alg":"RS512"}"#).isEmpty)
        #expect(keys(#"{\#(good),"key_ops":["encrypt"]}"#).isEmpty)
        #expect(keys(#"{"kty":"RSA","n":"\#(key.n)","e":"\#(key.e)"}"#).isEmpty)
        // A modulus of 1,024 bits is too short: a key needs 2,048.
        #expect(keys(#"{"kty":"RSA","kid":"a","n":"\#(Base64URL.encode([UInt8](repeating: 0xC1, count: 128)))","e":"AQAB"}"#).isEmpty)
        #expect(keys(#"{"kty":"EC","crv":"P-256","kid":"a","x":"AAAA","y":"AAAA"}"#).isEmpty)
    }

    @Test("a map of certificates, as Google publishes it, works like a key set")
    func certificates() async throws {
        let key = try _RSA.Signing.PrivateKey(pemRepresentation: CertificateFixture.key)
        let document = try JSONSerialization.data(withJSONObject: ["cert-1": CertificateFixture.certificate, "bad": "no certificate"])
        let keys = IssuerKey.all(in: Array(document))
        #expect(Set(keys.keys) == ["cert-1"])
        let signature = try key.sign("a.b").split(separator: ".")[2]
        let bytes = try #require(Base64URL.decode(signature))
        #expect(keys["cert-1"]?.isGenuine(bytes, of: Array("a.b".utf8)) == true)
        #expect(keys["cert-1"]?.isGenuine(bytes, of: Array("a.c".utf8)) == false)
    }

    @Test(
        "how long a response is valid",
        arguments: [
            (["max-age=600"], 0, 600), (["public", "max-age=19843", "must-revalidate"], 0, 19_843), (["max-age=600"], 200, 400),
            ([], 0, 3_600),
            (["max-age=0"], 0, 60), (["no-store"], 0, 60), (["max-age=99999999"], 0, 86_400), (["max-age=x"], 0, 3_600),
            (["Max-Age=\"700\""], 0, 700),
        ])
    func life(_ sample: (directives: [String], age: Int64, seconds: Int64)) {
        #expect(CacheLifetime.of(sample.directives, age: sample.age) == .seconds(sample.seconds))
    }
}
