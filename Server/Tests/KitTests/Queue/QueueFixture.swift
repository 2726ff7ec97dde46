import Core
import Database
import Foundation
import HTTPTypes
import KeepsakeKit
import KeepsakeWire
import KitTransport
import Synchronization
import TestKit
import Testing

@testable import FeatureTestKit
@testable import keepsake

/// The folder and the tokens of a queue, and an account on a server. Queues in this process and in others use them.
final class QueueFixture {
    let server: TestServer
    let path: String
    let userID: String
    private let folder: TemporaryFolder

    var queue: URL { URL(filePath: path + "/queue") }
    var tokens: FileTokenStore { FileTokenStore(URL(filePath: path + "/tokens.json")) }
    /// A small file that the server does not decode.
    var film: URL { URL(filePath: path + "/film.mp4") }
    var photo: URL { RealFile.folder.appending(path: "photo.jpg") }
    var sound: URL { RealFile.folder.appending(path: "plain.wav") }

    init(_ server: TestServer, email: String = "ada@example.org") async throws {
        let folder = try TemporaryFolder()
        let path = folder.path
        let keepsake = KeepsakeClient(
            url: try #require(URL(string: server.url)), tokens: FileTokenStore(URL(filePath: path + "/tokens.json")))
        userID = try await keepsake.auth.register(email: email, password: "correct horse").id
        self.server = server
        self.path = path
        self.folder = folder
        try Film.bytes(400).write(to: film)
    }

    /// Makes a client with the same quick retries as `queue-client`.
    func keepsake(
        port: Int? = nil, tokens: (any TokenStore)? = nil, transport: any Transport = URLSessionTransport(), clock: KeepsakeClock = .system
    ) throws -> KeepsakeClient {
        KeepsakeClient(
            url: try #require(URL(string: "http://127.0.0.1:\(port ?? server.port)")), tokens: tokens ?? self.tokens, transport: transport,
            clock: clock,
            retries: RetryPolicy(
                deadline: .seconds(10), fileDeadline: .seconds(600), maxAttempts: 2, firstWait: .milliseconds(20),
                longestWait: .milliseconds(200)))
    }

    func start(port: Int? = nil, transport: String = "urlsession") throws -> QueueProcess {
        try QueueProcess(
            url: "http://127.0.0.1:\(port ?? server.port)", queue: queue.path, tokens: path + "/tokens.json", transport: transport)
    }

    func moments(_ label: Int) -> String { "moments \(label) \(film.path) \(photo.path) \(sound.path)" }

    /// The number of times that the server has each entry, by the labels that `queue-client` uses.
    func stored() async throws -> [String: Int] {
        try await server.backend.database.read { [userID] tx in
            var counts: [String: Int] = [:]
            for row in try tx.rows("SELECT note, title FROM moment WHERE owner = \(userID)") {
                let name = try row.get("note", as: String?.self) ?? row.get("title", as: String?.self)
                counts[name ?? "?", default: 0] += 1
            }
            for row in try tx.rows("SELECT title FROM media WHERE owner = \(userID) AND title IS NOT NULL") {
                counts[try row.get("title", as: String.self), default: 0] += 1
            }
            for row in try tx.rows("SELECT created_at, media FROM capsule WHERE owner = \(userID)") {
                let second: Int64 = try row.get("created_at", as: Int64.self) / 1_000_000 - 1_000_000_000
                // A capsule without its recording is incomplete.
                let isWhole = try row.get("media", as: String?.self) != nil
                counts[(isWhole ? "capsule-" : "silent-") + "\(second)", default: 0] += 1
            }
            for row in try tx.rows("SELECT capture FROM capture_file WHERE owner = \(userID)") {
                counts[try row.get("capture", as: String.self), default: 0] += 1
            }
            return counts
        }
    }

    /// The number of rows for files. If a recording or a capture's photo is uploaded twice, there is one more.
    func fileCount() async throws -> Int {
        try await server.backend.database.read { [userID] tx in
            try tx.row("SELECT COUNT(*) AS n FROM media WHERE owner = \(userID)")!.get("n")
        }
    }
}

/// URLSession's transport with another `Date` in each response: the time of the test's clock. The server itself sends the machine's time.
struct DatedTransport: Transport {
    let clock: TestClock
    private let real = URLSessionTransport()
    private let sockets: SocketsWithFaults?

    /// - Parameter sockets: opens the WebSockets; `nil` means that WebSockets are not supported.
    init(_ clock: TestClock, sockets: SocketsWithFaults? = nil) {
        self.clock = clock
        self.sockets = sockets
    }

    func connect(_ request: HTTPRequest, timeout: Duration) async throws -> TransportConnection {
        guard let sockets else { throw KeepsakeError(.unsupported, "This transport has no WebSockets.") }
        return try await sockets.connect(request, timeout: timeout)
    }

    func send(
        _ request: HTTPRequest, body: RequestBody, timeout: Duration, progress: TransportProgress?
    ) async throws -> TransportResponse {
        var response = try await real.send(request, body: body, timeout: timeout, progress: progress)
        response.head.headerFields[.date] = Self.format(clock.now.date)
        return response
    }

    func download(
        _ request: HTTPRequest, to file: URL, timeout: Duration, progress: TransportProgress?
    ) async throws -> TransportResponse { try await real.download(request, to: file, timeout: timeout, progress: progress) }

    private static func format(_ date: Date) -> String {
        let formatter = DateFormatter()
        formatter.locale = Locale(identifier: "en_US_POSIX")
        formatter.timeZone = .gmt
        formatter.dateFormat = "EEE, dd MMM yyyy HH:mm:ss 'GMT'"
        return formatter.string(from: date)
    }
}

/// Opens WebSockets directly to the server, because `FaultyHTTPProxy` does not forward them.
final class SocketsWithFaults: Sendable {
    private let port: Int
    private let transport = AsyncHTTPTransport()
    private let isLosing = Mutex(false)

    init(toPort port: Int) { self.port = port }

    /// Sets whether sockets that open from now on break when the server's first message arrives.
    func loseReplies(_ isLosing: Bool) { self.isLosing.withLock { $0 = isLosing } }

    func connect(_ request: HTTPRequest, timeout: Duration) async throws -> TransportConnection {
        var request = request
        request.authority = "127.0.0.1:\(port)"
        let connection = try await transport.connect(request, timeout: timeout)
        guard case .open(let socket) = connection, isLosing.withLock({ $0 }) else { return connection }
        return .open(LosingSocket(base: socket))
    }

    private struct LosingSocket: TransportSocket {
        let base: any TransportSocket

        func receive() async throws -> String {
            _ = try await base.receive()
            base.close()
            throw KeepsakeError(.network, "The connection has ended.")
        }

        func send(_ text: String) async throws { try await base.send(text) }
        func close() { base.close() }
    }
}
