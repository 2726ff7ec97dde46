import Core
import Crypto
import CryptoExtras
import Foundation
import HTTPTypes
import Hummingbird
import KeepsakeWire
import Logging
import NIOCore
import ServiceLifecycle
import Synchronization

/// Simulates Apple, Firebase and an OpenID Connect issuer on loopback: serves their key sets, the discovery document, and Apple's token
/// endpoints.
final class IssuerStandIn: Sendable {
    enum Issuer: String, Sendable, CaseIterable { case apple, firebase, oidc }

    struct State: Sendable {
        /// The body of each issuer's key set.
        var documents: [Issuer: String] = [:]
        var cacheControl: String? = "public, max-age=3600, must-revalidate"
        var discoveredIssuer: String?
        /// The status of every response; `nil` for the usual ones.
        var status: HTTPResponse.Status?
        var location: String?
        /// The delay before each response.
        var delay = Duration.zero
        var requests: [String] = []
        var apple = AppleStandIn()
    }

    private let state: Mutex<State>
    private let port = Mutex(0)

    private init() {
        var state = State()
        for issuer in Issuer.allCases { state.documents[issuer] = Self.keySet([("\(issuer)-1", TestKeys.of(issuer))]) }
        self.state = Mutex(state)
    }

    static func run<T: Sendable>(_ body: @Sendable (IssuerStandIn) async throws -> T) async throws -> T {
        let standIn = IssuerStandIn()
        let router = Router()
        for issuer in Issuer.allCases {
            router.get("/\(issuer)/keys") { _, _ in try await standIn.answer("\(issuer)/keys") { $0.documents[issuer] ?? "" } }
        }
        router.get("/oidc/.well-known/openid-configuration") { _, _ in
            let issuer = standIn.url(.oidc)
            return try await standIn.answer("oidc/discovery") { state in
                #"{"issuer":"\#(state.discoveredIssuer ?? issuer)","jwks_uri":"\#(issuer)/keys","response_types_supported":["code"]}"#
            }
        }
        for path in ["token", "revoke"] {
            router.post("/apple/\(path)") { request, _ in
                let body = try await request.body.collect(upTo: 65_536)
                let type = request.headers[.contentType]
                let (delay, answer) = standIn.state.withLock { state in
                    state.requests.append("apple/\(path)")
                    return (state.delay, state.apple.answer(path, type, Data(body.readableBytesView)))
                }
                try await Task.sleep(for: delay)
                return answer
            }
        }
        let (ports, onPort) = AsyncStream.makeStream(of: Int.self)
        let application = Application(
            router: router, configuration: .init(address: .hostname("127.0.0.1", port: 0)),
            onServerRunning: { onPort.yield($0.localAddress?.port ?? 0) },
            logger: Logger(label: "stand-in") { _ in SwiftLogNoOpLogHandler() })
        let group = ServiceGroup(
            configuration: .init(services: [application], logger: Logger(label: "stand-in") { _ in SwiftLogNoOpLogHandler() }))
        return try await withThrowingTaskGroup(of: Void.self) { tasks in
            tasks.addTask(executorPreference: globalConcurrentExecutor) { try await group.run() }
            var iterator = ports.makeAsyncIterator()
            let port = await iterator.next() ?? 0
            standIn.port.withLock { $0 = port }
            let result: Result<T, any Error>
            do { result = .success(try await body(standIn)) } catch { result = .failure(error) }
            await group.triggerGracefulShutdown()
            try await tasks.waitForAll()
            return try result.get()
        }
    }

    private func answer(_ name: String, _ body: @Sendable (State) -> String) async throws -> Response {
        let state = state.withLock { state in
            state.requests.append(name)
            return state
        }
        try await Task.sleep(for: state.delay)
        var headers: HTTPFields = [.contentType: "application/json"]
        headers[.cacheControl] = state.cacheControl
        headers[.location] = state.location
        return Response(status: state.status ?? .ok, headers: headers, body: .init(byteBuffer: ByteBuffer(string: body(state))))
    }

    func url(_ issuer: Issuer) -> String { "http://127.0.0.1:\(port.withLock { $0 })/\(issuer)" }
    var requests: [String] { state.withLock { $0.requests } }
    /// The refresh tokens of Apple that are valid.
    var appleTokens: Set<String> { state.withLock { $0.apple.tokens } }
    var secretsSeen: [String] { state.withLock { $0.apple.secretsSeen } }
    func change(_ body: (inout State) -> Void) { state.withLock { body(&$0) } }
    func count(_ name: String) -> Int { state.withLock { state in state.requests.count { $0 == name } } }

    func publish(_ keys: [(String, _RSA.Signing.PrivateKey)], for issuer: Issuer) {
        let document = Self.keySet(keys)
        state.withLock { $0.documents[issuer] = document }
    }

    /// Encodes a JSON Web Key Set (RFC 7517).
    static func keySet(_ keys: [(String, _RSA.Signing.PrivateKey)]) -> String {
        let entries = keys.map { kid, key in
            #"{"kty":"RSA","use":"sig","alg":"RS256","kid":"\#(kid)","n":"\#(key.n)","e":"\#(key.e)"}"#
        }
        return #"{"keys":[\#(entries.joined(separator: ","))]}"#
    }
}

/// The issuers' keys, which are generated once for the process, because each takes a tenth of a second.
enum TestKeys {
    static let apple = make()
    static let firebase = make()
    static let oidc = make()
    static let next = make()
    static let forger = make()

    static func of(_ issuer: IssuerStandIn.Issuer) -> _RSA.Signing.PrivateKey {
        switch issuer {
        case .apple: apple
        case .firebase: firebase
        case .oidc: oidc
        }
    }

    private static func make() -> _RSA.Signing.PrivateKey {
        guard let key = try? _RSA.Signing.PrivateKey(keySize: .bits2048) else { preconditionFailure("no key could be made") }
        return key
    }
}

extension _RSA.Signing.PrivateKey {
    private var primitives: (Data, Data) {
        guard let primitives = try? publicKey.getKeyPrimitives() else { preconditionFailure("no RSA key") }
        return (primitives.modulus, primitives.publicExponent)
    }
    var n: String { Base64URL.encode(primitives.0) }
    var e: String { Base64URL.encode(primitives.1) }

    /// Signs any text as a JWS with RSASSA-PKCS1-v1_5 and SHA-256.
    func sign(_ body: String) throws -> String {
        let signature = try signature(for: SHA256.hash(data: Data(body.utf8)), padding: .insecurePKCS1v1_5).rawRepresentation
        return "\(body).\(Base64URL.encode(signature))"
    }
}
