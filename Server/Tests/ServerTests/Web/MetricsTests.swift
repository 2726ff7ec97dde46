import Core
import Database
import Foundation
import Jobs
import MediaTools
import Synchronization
import TestKit
import TestThreads
import Testing
import Transfer
import Web

@testable import FeatureTestKit
@testable import Media
@testable import keepsake

@Suite("What the metrics page says of the installation", .blocksThreads)
struct MetricsTests {
    @Test("it counts accounts without deleted ones, stored files by kind, and the database's bytes", arguments: StoragePair.allCases)
    func installation(_ pair: StoragePair) async throws {
        try await TestServer.run(pair, { $0.measuresDatabase = true }) { server in
            let ada = try await server.person()
            let bob = try await server.person("bob")
            #expect(try await server.upload(.file("a.jpg", Fixture.data("photo.jpg")), as: ada).status == 200)
            #expect(try await server.upload(.file("a.mp4", Fixture.data("moov-first.mp4")), as: ada).status == 200)
            #expect(try await server.send("POST", "/auth/delete", as: bob).status == 200)
            let metrics = Metrics()
            let gauges = InstallationGauges(metrics, server.backend.settings, server.backend.database, clock: server.clock.wall)
            // The page does not show a value before the server has read it.
            #expect(!metrics.page().contains("keepsake_accounts"))
            try await gauges.refresh([])
            let page = metrics.page()
            for line in [
                "keepsake_accounts 1", #"keepsake_stored_files{kind="image"} 1"#, #"keepsake_stored_bytes{kind="image"} 28535"#,
                #"keepsake_stored_files{kind="video"} 1"#, #"keepsake_stored_bytes{kind="audio"} 0"#,
                #"keepsake_build_info{version="\#(Keepsake.version)"} 1"#,
            ] { #expect(page.contains("\n\(line)\n"), "\(line): \(page)") }
            #expect(page.contains(/\nkeepsake_database_bytes [1-9]\d{4,}\n/) && page.contains(/\nkeepsake_disk_free_bytes [1-9]/))
        }
    }

    @Test("it says when the newest snapshot of a backup was made, or 0; a failed backup changes nothing", arguments: Engine.allCases)
    func lastBackup(_ engine: Engine) async throws {
        try await TestServer.run(engine) { server in
            let metrics = Metrics()
            let gauges = InstallationGauges(metrics, server.backend.settings, server.backend.database, clock: server.clock.wall)
            func page() async throws -> String {
                try await gauges.refresh([])
                return metrics.page()
            }
            let name = "keepsake_last_backup_timestamp_seconds"
            #expect(!metrics.page().contains("\n\(name) "))
            #expect(try await page().contains("\n\(name) 0\n"))
            let folder = try TemporaryFolder()
            let place = folder.path
            let repository = BackupRepository(try await BackupFolder.open(place + "/backups"), clock: server.clock.wall)
            let moment = server.clock.now
            _ = try await server.backend.backup(to: repository).run()
            server.clock.advance(by: .days(1))
            #expect(try await page().contains("\n\(name) \(moment.seconds)\n"))
            // A folder that also contains a file that is not Keepsake's.
            try Data("x".utf8).write(to: URL(filePath: place + "/letter"))
            await #expect(throws: TransferFailure.self) {
                let other = BackupRepository(try await BackupFolder.open(place), clock: server.clock.wall)
                _ = try await server.backend.backup(to: other).run()
            }
            #expect(try await page().contains("\n\(name) \(moment.seconds)\n"))
        }
    }

    @Test("it says whether the scanner answers, and nothing without a scanner or before the first attempt")
    func scanner() async throws {
        let metrics = Metrics()
        #expect(!metrics.page().contains("keepsake_scanner_up"))
        let isAway = Mutex(true)
        let gauge = ScannerGauge(metrics) { if isAway.withLock({ $0 }) { throw Problem(.unavailable, "away") } }
        #expect(!metrics.page().contains("keepsake_scanner_up"))
        await gauge.refresh()
        #expect(metrics.page().contains("\nkeepsake_scanner_up 0\n"))
        isAway.withLock { $0 = false }
        await gauge.refresh()
        #expect(metrics.page().contains("\nkeepsake_scanner_up 1\n"))
        // When the server stops, it cancels the attempt.
        isAway.withLock { $0 = true }
        let cancelled = Task {
            withUnsafeCurrentTask { $0?.cancel() }
            await gauge.refresh()
        }
        await cancelled.value
        #expect(metrics.page().contains("\nkeepsake_scanner_up 1\n"))
    }

    @Test("a server with a clamd that is away shows 0; one without clamd shows nothing", arguments: [true, false])
    func scannerOfServer(_ hasScanner: Bool) async throws {
        try await TestServer.run(.sqlite, { if hasScanner { $0.clamd = ClamdAddress("tcp:127.0.0.1:1") } }) { server in
            func page() async throws -> String { try await server.send("GET", "/metrics").text }
            guard hasScanner else {
                #expect(try await !page().contains("keepsake_scanner_up"))
                return
            }
            try await eventually { try await page().contains("\nkeepsake_scanner_up 0\n") }
        }
    }

    @Test("it says of each check of readiness whether it succeeds, and nothing before the first attempt")
    func readiness() async throws {
        let metrics = Metrics()
        let isAway = Mutex(true)
        let gauge = ReadyGauge(
            metrics,
            [
                Operations.Check("rows") { if isAway.withLock({ $0 }) { throw Problem(.unavailable, "away") } },
                Operations.Check("files") {},
            ])
        #expect(!metrics.page().contains("keepsake_ready"))
        await gauge.refresh()
        #expect(metrics.page().contains("\nkeepsake_ready{check=\"files\"} 1\nkeepsake_ready{check=\"rows\"} 0\n"))
        isAway.withLock { $0 = false }
        await gauge.refresh()
        #expect(metrics.page().contains("\nkeepsake_ready{check=\"files\"} 1\nkeepsake_ready{check=\"rows\"} 1\n"))
        // When the server stops, it cancels the checks.
        isAway.withLock { $0 = true }
        let cancelled = Task {
            withUnsafeCurrentTask { $0?.cancel() }
            await gauge.refresh()
        }
        await cancelled.value
        #expect(metrics.page().contains("\nkeepsake_ready{check=\"rows\"} 1\n"))
        withExtendedLifetime(gauge) {}
    }

    @Test("totals of a table come in pages, and a table that is longer than one call's pages takes several calls")
    func pages() async throws {
        let totals = TableTotals(pageSize: 2) { key, limit in
            let first = (key.first.flatMap { Int($0) } ?? 0) + 1
            #expect(limit == 2)
            return (first..<first + limit).filter { $0 <= 50 }.map {
                TableTotals.Row(key: ["\($0)"], kind: $0 % 2 == 0 ? "even" : "odd", byteCount: Int64($0))
            }
        }
        for _ in 0..<2 {
            // The first call reads 20 pages of two rows, the second call the rest.
            #expect(try await totals.advance() == nil)
            let sums = try #require(try await totals.advance())
            #expect(sums["even"] == TableTotals.Sum(rowCount: 25, byteCount: 650) && sums["odd"]?.byteCount == 625)
        }
    }

    @Test("the pages are read by the tables' keys", arguments: Engine.allCases)
    func plans(_ engine: Engine) async throws {
        try await TestServer.run(engine, tables: TestServer.newTables) { server in
            for sql in [StoredSizes.originals(after: ["a"], limit: 2_000), StoredSizes.copies(after: ["a", "b"], limit: 2_000)] {
                let plan = try await QueryPlan(sql, on: server.backend.database)
                #expect(!plan.steps.isEmpty && plan.faults.isEmpty, "\(plan)")
            }
        }
    }

    @Test("jobs are counted by kind, and a kind without jobs is 0")
    func jobs() {
        let metrics = Metrics()
        let gauges = JobGauges(metrics, kinds: ["a", "b"])
        gauges.set([JobCounts(kind: "b", ready: 3, oldestReady: .seconds(90)), JobCounts(kind: "newer", parked: 1)])
        let page = metrics.page()
        for line in [
            #"keepsake_jobs_ready{kind="a"} 0"#, #"keepsake_jobs_ready{kind="b"} 3"#, #"keepsake_jobs_oldest_seconds{kind="b"} 90"#,
            #"keepsake_jobs_parked{kind="newer"} 1"#,
        ] { #expect(page.contains("\n\(line)\n"), "\(line): \(page)") }
    }
}
