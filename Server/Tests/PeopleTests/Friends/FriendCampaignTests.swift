import Database
import TestKit
import Testing

@testable import FeatureTestKit
@testable import People
@testable import keepsake

/// Whatever actions race, two people end as friends, with one pending request, or with nothing. `make campaign NAME=friends` races 10,000
/// pairs.
@Suite("Campaign: friends", .serialized)
struct FriendCampaignTests {
    @Test("8 racing requests, answers, crossings and cancellations of a pair end in one outcome", arguments: CampaignScale.engines)
    func races(_ engine: Engine) async throws {
        guard CampaignScale.runs("friends") else { return }
        let count = CampaignScale.isFull("friends") ? 10_000 : 200
        try await TestServer.run(engine) {
            $0.databaseConnections = 8
        } _: { server in
            let accounts = try await server.insertAccounts(2 * count)
            let report = try await FriendCampaign(server).run(accounts) { CampaignScale.progress($0, of: count) }
            print("friends campaign, \(engine), \(count) pairs: \(report.line)")
            #expect(report.faults.isEmpty, "\(report.faults.prefix(5))")
            #expect(report.wrongCounters == 0 && report.wrongEvents == 0)
            // The races end in different ways.
            #expect(report.friends > count / 3 && report.friends < count && report.pending > 0)
        }
    }

    @Test("control: without a lock for the pair, some pairs have more than one outcome", arguments: CampaignScale.engines)
    func control(_ engine: Engine) async throws {
        guard CampaignScale.runs("friends") else { return }
        try await TestServer.run(engine) {
            $0.databaseConnections = 8
        } _: { server in
            // All racers of a pair first read, and only then write.
            var campaign = FriendCampaign(server)
            campaign.way = .twoTransactions
            let report = try await campaign.run(try await server.insertAccounts(60))
            print("friends control, \(engine), 30 pairs in two transactions: \(report.line)")
            #expect(report.faults.count > 10)
        }
        // SQLite has a single writer, which is itself a lock. So a write without a lock is possible on PostgreSQL only.
        guard engine == .postgres else { return }
        try await TestServer.run(engine) {
            $0.databaseConnections = 8
        } _: { server in
            var store = server.backend.features[PeopleFeature.self].friends.store
            store.database = UnlockedDatabase(base: store.database)
            let report = try await FriendCampaign(store).run(try await server.insertAccounts(400))
            print("friends control, \(engine), 200 pairs without locks: \(report.line)")
            #expect(!report.faults.isEmpty)
        }
    }
}

/// A database whose writes take no locks.
private struct UnlockedDatabase: DatabaseDecorator {
    let base: any Database

    @discardableResult
    func write<T: Sendable>(_ body: @escaping @Sendable (WriteTransaction) throws -> T) async throws -> T {
        try await base.write { tx in
            let unlocked = WriteTransaction(Engine(tx.engine))
            let value = try body(unlocked)
            try unlocked.end()
            for wake in unlocked.wakes { tx.wake(wake) }
            return value
        }
    }

    private final class Engine: TransactionEngine {
        private let base: any TransactionEngine

        init(_ base: any TransactionEngine) { self.base = base }

        func run(_ sql: SQL) throws -> Int { try base.run(sql) }
        func send(_ sql: SQL, _ expected: ExpectedCount?) throws { try base.send(sql, expected) }
        func rows(_ sql: SQL) throws -> [Row] { try base.rows(sql) }
        func row(_ sql: SQL) throws -> Row? { try base.row(sql) }
        func each(_ sql: SQL, _ body: (inout RowReader) throws -> Void) throws { try base.each(sql, body) }
        func lock(_ key: String) throws {}
        func tryLock(_ keys: [String]) throws -> Set<String> { [] }
        var skippingLocked: SQL { base.skippingLocked }
        var lockingRows: SQL { base.lockingRows }
        var delaysOthers: Bool { base.delaysOthers }
        var tokenSearch: any TokenSearch { base.tokenSearch }
    }
}
