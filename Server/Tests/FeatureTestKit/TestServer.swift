import Accounts
import AsyncHTTPClient
import Core
import Database
import DatabaseEngines
import Foundation
import Logging
import MediaTools
import NIOCore
import NIOHTTP1
import S3Blobs
import ServiceLifecycle
import TestKit
import Testing
import Web

@testable import keepsake

/// The whole server, running in this process. It has its own port and folder, and a clock that the test sets.
struct TestServer: Sendable {
    let port: Int
    let clock: TestClock
    let backend: Backend
    let folder: String
    let stores: TestStores

    /// A name for the tables of tests of query plans that insert no rows. On PostgreSQL, these tests share tables into which no test has
    /// inserted rows.
    static let newTables = TestSchema.newTables
    /// The tables into which every start of a server inserts rows.
    static let startedTables = ["signing_key", "server_secret", "installation"]

    /// Runs `test` against a fresh server, for tests that store no file. The blob store is the one that belongs to the engine.
    static func run<T: Sendable>(
        _ engine: Engine, on shared: TestStores? = nil, tables: String? = "server", clock: TestClock = TestClock(),
        logger: Logger = Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }, _ change: (inout Settings) -> Void = { _ in },
        _ test: @Sendable (TestServer) async throws -> T
    ) async throws -> T {
        try await run(StoragePair(engine), on: shared, tables: tables, clock: clock, logger: logger, change, test)
    }

    /// Runs `test` against a fresh server, then stops it.
    /// - Parameters:
    ///   - shared: the stores of another server, if this server is a second node. With `.embedded`, each server still has its own folder
    ///     for files.
    ///   - tables: the name of the PostgreSQL tables that tests reuse; see `TestSchema.init(tables:)`. With SQLite, any name means that the
    ///     database starts with the tables of all migrations. Tests of query plans pass `newTables` if they insert no rows, and `nil`
    ///     otherwise, because PostgreSQL's planner may treat reused tables differently from new ones.
    ///   - record: gets every statement that the server sends.
    static func run<T: Sendable>(
        _ pair: StoragePair, on shared: TestStores? = nil, tables: String? = "server", clock: TestClock = TestClock(),
        logger: Logger = Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }, record: StatementRecord? = nil,
        _ change: (inout Settings) -> Void = { _ in },
        _ test: @Sendable (TestServer) async throws -> T
    ) async throws -> T {
        let folder = try TemporaryFolder()
        var settings = Settings()
        settings.port = 0
        settings.dataFolder = folder.path
        let stores = try shared ?? TestStores(pair, tables: tables)
        if shared == nil, tables != nil, pair == .embedded { try await stores.begin(with: EmptyDatabase.file.value) }
        settings.blobs = try stores.blobs(in: folder.path)
        settings.database = try #require(DatabaseAddress(stores.address()))
        settings.databaseConnections = 4
        settings.rateLimits = nil
        settings.passwordCost = .forTests
        // The server starts the media worker only when a test needs it, because most tests do not.
        settings.mediaWorker.isKeptWarm = false
        // PostgreSQL looks at every file of the database to measure it. Those are the files of all tests, some ten thousand.
        settings.measuresDatabase = false
        change(&settings)
        let backend = try await Backend.open(settings, mode: .serving, clock: clock.wall, logger: logger) { base in
            let database = SentStatements.recording(pair.engine)(base)
            return record.map { ObservedDatabase(base: database, observe: $0.add) } ?? database
        }
        if shared == nil { try stores.keepTables(except: startedTables) }
        let (ports, onPort) = AsyncStream.makeStream(of: Int.self)
        let server = backend.makeServer { port in onPort.yield(port) }
        // Each server would look through the memory of all tests for free memory at its start. `FreeMemoryTests` tests this upkeep.
        let services = backend.services.filter { ($0 as? Upkeep)?.description != "upkeep of free memory" }
        let group = ServiceGroup(configuration: .init(services: services + [server] + backend.frontServices, logger: logger))
        let path = folder.path
        return try await withThrowingTaskGroup(of: Void.self) { tasks in
            tasks.addTask(executorPreference: globalConcurrentExecutor) { try await group.run() }
            var iterator = ports.makeAsyncIterator()
            let port = await iterator.next()!
            let result: Result<T, any Error>
            do {
                result = .success(try await test(TestServer(port: port, clock: clock, backend: backend, folder: path, stores: stores)))
            } catch {
                result = .failure(error)
            }
            await group.triggerGracefulShutdown()
            try await tasks.waitForAll()
            try await backend.close()
            withExtendedLifetime(stores) {}
            return try result.get()
        }
    }

    var url: String { "http://127.0.0.1:\(port)" }

    // MARK: People

    struct Person: Sendable {
        let id: String
        let token: String
        var bearer: (String, String) { ("Authorization", "Bearer \(token)") }
    }

    func person(_ name: String = "ada") async throws -> Person {
        let issued = try await backend.accounts.issueToken(email: "\(name)@example.org", isAdmin: false)
        return Person(id: issued.userID, token: issued.accessToken)
    }

    // MARK: Requests

    struct Answer: Sendable {
        let status: Int
        let headers: HTTPHeaders
        let body: Data

        var text: String { String(decoding: body, as: UTF8.self) }
        func header(_ name: String) -> String? { headers.first(name: name) }
        func json() throws -> [String: Any] { try JSONSerialization.jsonObject(with: body) as? [String: Any] ?? [:] }
        func decode<T: Decodable>(_ type: T.Type) throws -> T { try JSONDecoder().decode(type, from: body) }
    }

    func send(
        _ method: String, _ path: String, as person: Person? = nil, headers: [(String, String)] = [], body: Data? = nil
    ) async throws -> Answer {
        var request = HTTPClientRequest(url: path.hasPrefix("http") ? path : url + path)
        request.method = HTTPMethod(rawValue: method)
        for (name, value) in headers + (person.map { [$0.bearer] } ?? []) { request.headers.add(name: name, value: value) }
        if let body { request.body = .bytes(ByteBuffer(bytes: body)) }
        let response = try await Self.execute(request)
        let bytes = method == "HEAD" ? ByteBuffer() : try await response.body.collect(upTo: 256 * 1_048_576)
        return Answer(status: Int(response.status.code), headers: response.headers, body: Data(bytes.readableBytesView))
    }

    /// Retries some requests. The server may refuse a request before its body has been sent. Then this client sometimes reports its own
    /// closed channel instead of the response. `EarlyAnswerTests` checks what a client receives on a plain socket.
    private static func execute(_ request: HTTPClientRequest) async throws -> HTTPClientResponse {
        for _ in 0..<4 {
            do {
                return try await HTTPClient.shared.execute(request, timeout: .seconds(60))
            } catch ChannelError.ioOnClosedChannel {}
        }
        return try await HTTPClient.shared.execute(request, timeout: .seconds(60))
    }

    func upload(_ body: MultipartBody, to path: String? = nil, as person: Person, key: String? = nil) async throws -> Answer {
        try await send(
            "POST", path ?? "/api/users/user/\(person.id)/multimedia/swift", as: person,
            headers: [("Content-Type", body.contentType)] + (key.map { [("Idempotency-Key", $0)] } ?? []), body: body.data)
    }
}
