import Core
import Database
import Live
import SQLiteEngine
import Synchronization
import TestKit
import Testing

/// Records on whose behalf each read runs.
private final class NotingRequesters: DatabaseDecorator {
    let base: any Database
    private let noted = Mutex<[Requester]>([])

    init(_ base: any Database) { self.base = base }

    var requesters: [Requester] { noted.withLock { $0 } }

    func read<T: Sendable>(_ body: @escaping @Sendable (ReadTransaction) throws -> T) async throws -> T {
        noted.withLock { $0.append(.current) }
        return try await base.read(body)
    }
}

@Suite("Reads of subscriptions")
struct HubReadsTests {
    /// Otherwise a network that has its share of the database's connections would keep other networks' subscriptions waiting.
    @Test("a subscription reads as the server, so it does not wait for its network's share of the connections while it holds a permit")
    func requester() async throws {
        let folder = try TemporaryFolder()
        let database = NotingRequesters(try await SQLiteDatabase.open(path: folder.path + "/a.sqlite"))
        try await database.migrate(EventLog.migrations)
        let hub = Hub(database: database, logger: LiveNodes.logger)
        try await Requester(account: "a", network: Network(ipv4: 1)).run { _ = try await hub.subscribe("a", since: nil) }
        #expect(database.requesters == [.server])
        try await database.close()
    }
}
