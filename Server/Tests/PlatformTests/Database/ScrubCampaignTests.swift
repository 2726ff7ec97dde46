import Database
import Foundation
import SQLiteEngine
import Synchronization
import TestKit
import TestThreads
import Testing

@Suite("Campaign: scrub", .blocksThreads)
struct ScrubCampaignTests {
    private final class Flag: Sendable {
        private let value = Mutex(false)

        var isSet: Bool { value.withLock { $0 } }
        func set() { value.withLock { $0 = true } }
    }

    /// `make campaign NAME=scrub` runs the full form, with a file of 1 GB.
    @Test("no write waits long while a large file is scrubbed that holds an account's texts everywhere")
    func stall() async throws {
        let campaign = ProcessInfo.processInfo.environment["KEEPSAKE_CAMPAIGN"]
        guard campaign == nil || campaign == "scrub" else { return }
        let megabytes = campaign == nil ? 24 : 1_100
        let folder = try TemporaryFolder()
        let path = folder.path + "/a.sqlite"
        let database = try await SQLiteDatabase.open(path: path)
        try await database.migrate([ScrubTests.migration])
        for megabyte in 0..<megabytes {
            try await database.write { tx in
                try tx.run(
                    """
                    WITH RECURSIVE numbers(i) AS (SELECT 0 UNION ALL SELECT i + 1 FROM numbers WHERE i < 499)
                    INSERT INTO thing (id, owner, at, note)
                    SELECT hex(randomblob(8)), CASE WHEN i % 20 = 0 THEN 'ada' ELSE 'eve' END, \(megabyte) * 500 + i,
                        (CASE WHEN i % 20 = 0 THEN 'canary' ELSE 'other' END) || hex(randomblob(400))
                    FROM numbers
                    """)
            }
        }
        for megabyte in 0..<megabytes {
            try await database.write { tx in
                try tx.run("DELETE FROM thing WHERE owner = 'ada' AND at >= \(megabyte * 500) AND at < \(megabyte * 500 + 500)")
            }
        }
        let clock = ContinuousClock()
        let start = clock.now
        let isDone = Flag()
        var (longest, count) = (Duration.zero, 0)
        try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask {
                defer { isDone.set() }
                try await database.scrub(ScrubTests.tables)
            }
            while !isDone.isSet {
                let (id, before) = ("w\(count)", clock.now)
                try await database.write { tx in
                    try tx.run("INSERT INTO thing (id, owner, at, note) VALUES (\(id), 'eve', 0, 'n')")
                }
                longest = max(longest, clock.now - before)
                count += 1
            }
            try await group.waitForAll()
        }
        let size = try FileManager.default.attributesOfItem(atPath: path)[.size] as? Int ?? 0
        print("scrub: \(size / 1_000_000) MB in \(clock.now - start); \(count) writes meanwhile, the longest \(longest)")
        #expect(longest < .seconds(1))
        #expect(try ScrubTests.canaries(path) == 0)
        try await database.close()
    }
}
