import Core
import Database
import SQLiteEngine
import Synchronization
import TestKit
import Testing

@testable import Live

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

/// Notes for which account each read begins, and holds all reads until it is opened.
private final class HeldReads: DatabaseDecorator {
    @TaskLocal static var account = ""

    let base: any Database
    private let state = Mutex((accounts: [String](), isOpen: false))

    init(_ base: any Database) { self.base = base }

    var accounts: [String] { state.withLock { $0.accounts } }

    func open() { state.withLock { $0.isOpen = true } }

    func read<T: Sendable>(_ body: @escaping @Sendable (ReadTransaction) throws -> T) async throws -> T {
        state.withLock { $0.accounts.append(Self.account) }
        while !state.withLock({ $0.isOpen }) { try await Task.sleep(for: .milliseconds(1)) }
        return try await base.read(body)
    }
}

@Suite("Reads of subscriptions")
struct HubReadsTests {
    /// If a subscription read as its own requester, a network that has taken its share of the database's connections would keep other
    /// networks' subscriptions waiting.
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

    @Test("many waiting subscriptions of one account do not delay another account's")
    func turns() async throws {
        let folder = try TemporaryFolder()
        let database = HeldReads(try await SQLiteDatabase.open(path: folder.path + "/a.sqlite"))
        try await database.migrate(EventLog.migrations)
        var settings = Hub.Settings()
        settings.readsAtOnce = 1
        let hub = Hub(database: database, logger: LiveNodes.logger, settings: settings)
        try await withThrowingTaskGroup(of: Void.self) { group in
            for (number, account) in ([String](repeating: "greedy", count: 10) + ["modest"]).enumerated() {
                group.addTask {
                    try await HeldReads.$account.withValue(account) { _ = try await hub.subscribe(account, since: nil) }
                }
                // The first subscription reads, and the others wait.
                while hub.reads.heldCount + hub.reads.waitingCount < number + 1 { await Task.yield() }
            }
            database.open()
            try await group.waitForAll()
        }
        #expect(database.accounts.count == 11 && database.accounts.firstIndex(of: "modest") == 1, "\(database.accounts)")
        try await database.close()
    }
}
