import Database
import DatabaseEngines
import Foundation
import TestKit
import TestThreads
import Testing

@testable import keepsake

/// Nodes are restarted one after the other under load, as an upgrade does.
@Suite("Campaign: deploys", .serialized, .blocksThreads)
struct DeploysCampaignTests {
    private struct Report {
        var restarts = 0
        var acknowledged = 0
        var searches = 0
        var retries = 0
        var failed: [String] = []
        var lost: [String] = []
        var doubled = 0
        var slowest = Duration.zero

        var line: String {
            "\(restarts) restarts, \(acknowledged) writes acknowledged, \(searches) searches, \(retries) requests retried, \(failed.count) failed, \(lost.count) lost, \(doubled) doubled, slowest restart \(slowest)"
        }
    }

    /// Three nodes and two people. Runs `work` under load, then compares what the nodes hold with what clients were told.
    /// - Parameters:
    ///   - retries: whether clients retry.
    ///   - binary: path of the build that the nodes start with; default the one built with the tests.
    ///   - work: restarts nodes; counts restarts in the report.
    private static func run(
        retries: Bool = true, blobs: [String: String], binary: String? = nil,
        _ work: (NodeCluster, DatabaseAddress, inout Report) async throws -> Void
    ) async throws -> Report {
        let stores = try TestStores(.postgres)
        let cluster = try NodeCluster(3, database: stores.address(), settings: blobs, binary: binary)
        let patient = RetryingClient(url: cluster.url)
        let people = try await ClusterLoad.people(2, patient)
        let client = retries ? patient : RetryingClient(url: cluster.url, patience: nil)
        // Without a shared store, only the node that received a file can read it.
        let load = ClusterLoad(client, people, mix: blobs.isEmpty ? [.mood, .mood, .search, .signOut] : ClusterLoad.everything)
        let working = Task { await load.run() }
        var report = Report()
        let address = try #require(DatabaseAddress(stores.address()))
        do {
            try await Task.sleep(for: .seconds(1))
            try await work(cluster, address, &report)
            try await Task.sleep(for: .seconds(1))
        } catch {
            load.stop()
            await working.value
            throw error
        }
        load.stop()
        await working.value
        let ledger = load.ledger
        report.acknowledged = ledger.acknowledged
        report.searches = ledger.searches
        report.retries = client.retries
        report.failed = ledger.unanswered + ledger.wrong
        if retries {
            let audit = try await ClusterAudit(ledger, people, patient)
            (report.lost, report.doubled) = (audit.lost, audit.doubled)
        }
        let codes = cluster.stopAll()
        #expect(codes == [0, 0, 0])
        withExtendedLifetime(stores) {}
        return report
    }

    private static func restart(_ cluster: NodeCluster, _ number: Int, binary: String? = nil, _ report: inout Report) throws {
        let start = ContinuousClock.now
        #expect(cluster.stop(number) == 0)
        try cluster.start(number, binary: binary)
        report.slowest = max(report.slowest, ContinuousClock.now - start)
        report.restarts += 1
    }

    private static var isFull: Bool { CampaignScale.isFull("deploys") }

    @Test("nodes that restart one after the other fail no request of a client that retries")
    func restarts() async throws {
        guard CampaignScale.runs("deploys") else { return }
        let restarts = Self.isFull ? 100 : 3
        let report = try await Self.run(blobs: SharedBlobs.settings()) { cluster, _, report in
            for round in 0..<restarts {
                try Self.restart(cluster, round % 3, &report)
                try await Task.sleep(for: .milliseconds(Self.isFull ? 1_000 : 300))
                CampaignScale.progress(round + 1, of: restarts)
            }
        }
        print("deploys campaign: \(report.line)")
        #expect(report.failed.isEmpty, "\(report.failed.prefix(5))")
        #expect(report.lost.isEmpty && report.doubled == 0, "\(report.lost.prefix(5))")
        #expect(report.acknowledged > restarts)
    }

    @Test("control: if all nodes restart at once, a client that does not retry sees failures")
    func controlOfRetries() async throws {
        guard CampaignScale.runs("deploys") else { return }
        let report = try await Self.run(retries: false, blobs: [:]) { cluster, _, report in
            for number in 0..<3 { #expect(cluster.stop(number) == 0) }
            try await Task.sleep(for: .milliseconds(200))
            for number in 0..<3 { try cluster.start(number) }
            report.restarts += 3
        }
        print("deploys campaign, control without retries: \(report.line)")
        #expect(!report.failed.isEmpty)
    }

    /// What the next release could do: add a column with a default, a table, and an index.
    private static let additions = Migration(
        "campaign/001-next",
        [
            "ALTER TABLE media ADD COLUMN campaign BIGINT NOT NULL DEFAULT 0",
            "ALTER TABLE session ADD COLUMN campaign TEXT",
            "CREATE TABLE campaign (id TEXT COLLATE \"C\" PRIMARY KEY NOT NULL, media TEXT COLLATE \"C\" REFERENCES media (id))",
            "CREATE INDEX campaign_media ON media (campaign, id)",
        ], release: Keepsake.release + 1)

    /// What the next release must not do, because this one still uses the column.
    private static let removal = Migration(
        "campaign/001-next", ["ALTER TABLE session RENAME COLUMN last_used_at TO used_at"], release: Keepsake.release + 1)

    /// Migrates as a node of the next release does when it starts.
    private static func migrate(_ address: DatabaseAddress, _ migration: Migration) async throws {
        let database = try await address.open(connections: 1)
        try await database.migrate(Backend.migrations + [migration], release: Keepsake.release + 1)
        try await database.close()
    }

    /// The number of migrations that have run.
    private static func migrationCount(_ address: DatabaseAddress) async throws -> Int {
        let database = try await address.open(connections: 1)
        let count = try await database.read { tx in try tx.rows("SELECT name FROM schema_migration").count }
        try await database.close()
        return count
    }

    /// All nodes start with the last release's program, whose path is in `KEEPSAKE_PREVIOUS`. Then each node is replaced with this program.
    /// The first one migrates the database while the other nodes use it. Without `KEEPSAKE_PREVIOUS`, this program plays the older release,
    /// and the test migrates the schema as the next release could.
    @Test("nodes of two releases run side by side while the schema changes, and fail no request")
    func upgrade() async throws {
        guard CampaignScale.runs("deploys") else { return }
        let previous = ProcessInfo.processInfo.environment["KEEPSAKE_PREVIOUS"].flatMap { $0.isEmpty ? nil : $0 }
        let report = try await Self.run(blobs: SharedBlobs.settings(), binary: previous) { cluster, address, report in
            let before = try await Self.migrationCount(address)
            if let previous {
                try Self.restart(cluster, 0, &report)
                // A node of the older release can start on the newer schema.
                try Self.restart(cluster, 1, binary: previous, &report)
            } else {
                try await Self.migrate(address, Self.additions)
            }
            let after = try await Self.migrationCount(address)
            #expect(after > before, "The schema did not change: the program in PREVIOUS has the same migrations as this one.")
            try await Task.sleep(for: .seconds(Self.isFull ? 10 : 1))
            // If there is a program of the last release, the second and third of these restarts replace the nodes that still run it.
            // Otherwise nodes of the older release start on the newer schema.
            for round in 0..<(Self.isFull ? 9 : previous == nil ? 2 : 3) {
                try Self.restart(cluster, round % 3, &report)
                try await Task.sleep(for: .seconds(Self.isFull ? 3 : 0))
            }
        }
        print("deploys campaign, upgrade\(previous == nil ? "" : " from \(previous!)"): \(report.line)")
        #expect(report.failed.isEmpty, "\(report.failed.prefix(5))")
        #expect(report.lost.isEmpty && report.doubled == 0, "\(report.lost.prefix(5))")
        #expect(report.acknowledged > 10)
    }

    @Test("control: a migration that renames a column in use fails requests of old nodes")
    func controlOfMigrations() async throws {
        guard CampaignScale.runs("deploys") else { return }
        let report = try await Self.run(retries: false, blobs: [:]) { _, address, _ in
            try await Self.migrate(address, Self.removal)
        }
        print("deploys campaign, control with a renamed column: \(report.line)")
        #expect(report.failed.contains { $0.contains(": 500 ") }, "\(report.failed.prefix(5))")
    }
}
