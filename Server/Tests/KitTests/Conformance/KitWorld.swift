import Core
import Foundation
import KeepsakeKit
import KeepsakeTesting
import KeepsakeWire
import KitTransport
import TestKit
import Testing

@testable import FeatureTestKit
@testable import keepsake

/// The setups of the conformance suite: each transport with a real server, and the fake server.
enum KitSetup: String, CaseIterable, Sendable {
    /// Does not support WebSockets, because Linux's URLSession does not.
    case urlSession
    case asyncHTTP
    case fake
    case fakeWithoutSockets

    /// The server's database engine and blob store.
    private var pair: StoragePair { self == .urlSession ? .embedded : .shared }

    func run(_ test: @Sendable (KitWorld) async throws -> Void) async throws { try await run(settings: { _ in }, test) }

    /// - Parameter settings: changes the settings of the real server; the fake server has none.
    func run(settings: (inout Settings) -> Void, _ test: @Sendable (KitWorld) async throws -> Void) async throws {
        switch self {
        case .urlSession, .asyncHTTP:
            // The client compares a token's expiry with the server's `Date` header, so the injected clock starts at the real time.
            let clock = TestClock(Timestamp(seconds: Int64(Date().timeIntervalSince1970)))
            try await TestServer.run(pair, clock: clock, settings) { server in
                let transport: any Transport = self == .urlSession ? URLSessionTransport() : AsyncHTTPTransport()
                try await test(
                    KitWorld(
                        setup: self, url: try #require(URL(string: server.url)), transport: transport, fake: nil,
                        advance: { clock.advance(by: $0) },
                        setPhone: { phone, user in try await server.setPhone(phone, of: TestServer.Person(id: user, token: "")) }))
            }
        case .fake, .fakeWithoutSockets:
            let server = FakeServer(hasSockets: self == .fake)
            try await test(
                KitWorld(
                    setup: self, url: FakeServer.url, transport: server, fake: server, advance: { server.advance(by: $0) },
                    setPhone: { phone, user in server.setPhone(phone, of: user) }))
        }
    }

    var hasSockets: Bool { self == .asyncHTTP || self == .fake }
}

extension KitSetup: CustomTestStringConvertible {
    var testDescription: String {
        switch self {
        case .urlSession: "URLSession, \(pair)"
        case .asyncHTTP: "AsyncHTTPClient, \(pair)"
        case .fake: "fake server"
        case .fakeWithoutSockets: "fake server without sockets"
        }
    }
}

/// A server, and functions with which tests make clients for it.
struct KitWorld: Sendable {
    let setup: KitSetup
    let url: URL
    let transport: any Transport
    /// The fake server; `nil` for a real one.
    let fake: FakeServer?
    let advance: @Sendable (Duration) -> Void
    /// Gives an account a verified phone number, in E.164 format.
    let setPhone: @Sendable (_ phone: String, _ user: String) async throws -> Void

    func client(_ tokens: any TokenStore = MemoryTokenStore()) -> KeepsakeClient { client(tokens, transport) }

    /// A client with WebSockets, which sending captures needs. Only for a real server.
    func clientWithSockets(_ tokens: any TokenStore) -> KeepsakeClient {
        client(tokens, setup.hasSockets ? transport : AsyncHTTPTransport())
    }

    private func client(_ tokens: any TokenStore, _ transport: any Transport) -> KeepsakeClient {
        KeepsakeClient(
            url: url, tokens: tokens, transport: transport,
            retries: RetryPolicy(firstWait: .milliseconds(5), longestWait: .milliseconds(50)))
    }

    /// A client for a person who has just registered.
    func person(
        _ name: String = "ada", tokens: any TokenStore = MemoryTokenStore()
    ) async throws -> (client: KeepsakeClient, id: String) {
        let client = client(tokens)
        let user = try await client.auth.register(email: "\(name)@example.org", password: "correct horse", name: name)
        return (client, user.id)
    }

    /// A client for a person who also has a profile.
    func member(_ name: String) async throws -> (client: KeepsakeClient, id: String) {
        let person = try await person(name)
        try await person.client.people.onboard(OnboardInput(name: name))
        return person
    }

    /// Advances the clock, because the order of entries with the same time is undefined.
    func tick() { advance(.seconds(1)) }
}

/// Copies of fixtures on the disk, as an app has its files.
struct KitFiles: ~Copyable {
    private let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    func url(_ name: String) -> URL { URL(filePath: folder.path + "/" + name) }

    func fixture(_ name: String, as other: String? = nil) throws -> URL {
        let url = url(other ?? name)
        try Fixture.data(name).write(to: url)
        return url
    }

    func text(_ text: String) throws -> URL {
        let url = url("\(UUID().uuidString).txt")
        try Data(text.utf8).write(to: url)
        return url
    }
}

/// Requires that the call is refused with this status.
/// - Parameter code: if it is set, the error must also have this code.
func expectRefusal<T>(
    _ status: Int, _ code: String? = nil, sourceLocation: SourceLocation = #_sourceLocation, _ call: () async throws -> T
) async {
    do {
        _ = try await call()
        Issue.record("nothing was thrown; expected status \(status)", sourceLocation: sourceLocation)
    } catch let error as KeepsakeError {
        #expect(error.status == status, "\(error)", sourceLocation: sourceLocation)
        #expect(code == nil || error.code.rawValue == code, "\(error)", sourceLocation: sourceLocation)
        #expect(error.requestID != nil && !error.message.isEmpty, "\(error)", sourceLocation: sourceLocation)
    } catch {
        Issue.record("\(error)", sourceLocation: sourceLocation)
    }
}

extension Pages {
    /// All rows of all pages.
    func all() async throws -> [Item] {
        var items: [Item] = []
        for try await item in self { items.append(item) }
        return items
    }
}
