import Core
import Database
import Foundation
import Live
import TestKit
import TestThreads
import Testing

/// The cost of a subscriber without events.
@Suite("Ten thousand idle subscribers", .runsAlone)
struct LiveCrowdTests {
    private static let size = 10_000

    @Test("Ten thousand idle subscribers cost polls of the heads, little memory, and no reads of events", arguments: Engine.allCases)
    func waits(_ engine: Engine) async throws {
        let stores = try TestStores(engine)
        var settings = Hub.Settings()
        let tick = Duration.milliseconds(500)
        settings.tick = tick
        try await LiveNodes.run("crowd", count: 1, settings: settings, { try await stores.open($0) }) { nodes in
            let hub = nodes.hub
            try await nodes.emit([1], to: "crowd-0")
            let memory = Self.memory
            try await withThrowingTaskGroup(of: Void.self) { group in
                for number in 0..<Self.size {
                    group.addTask {
                        let subscription = try await hub.subscribe("crowd-\(number)", since: number == 0 ? 1 : 0)
                        while true { _ = try await subscription.next() }
                    }
                }
                let start = ContinuousClock.now
                while hub.counts.waiting < Self.size {
                    try #require(ContinuousClock.now - start < .seconds(180), "some never came to wait: \(hub.counts)")
                    try await Task.sleep(for: .milliseconds(10))
                }
                let each = (Self.memory - memory) / Self.size

                let before = (counts: hub.counts, time: Self.processorTime, at: ContinuousClock.now)
                try await Task.sleep(for: .seconds(2))
                while hub.counts.looks < before.counts.looks + 20 {
                    try #require(ContinuousClock.now - before.at < .seconds(60), "nobody looks")
                    try await Task.sleep(for: .milliseconds(10))
                }
                let after = (counts: hub.counts, time: Self.processorTime, at: ContinuousClock.now)
                #expect(after.counts.reads == before.counts.reads)
                let looks = after.counts.looks - before.counts.looks
                #expect(looks <= 20 * (Int((after.at - before.at) / tick) + 2), "\(looks)")
                // The hub polls all subscribers in 20 batches. The default interval is 2 s, and tests shorten it.
                let share = (after.time - before.time) / Double(looks) * 20 / 2 * 100
                print(
                    """
                    \(engine): live crowd: \(Self.size) subscribers wait at \(each) bytes each; \
                    with a tick of 2 s they cost \((share * 10).rounded() / 10) % of a processor
                    """)
                #expect(each < 16_384)
                group.cancelAll()
                while await group.nextResult() != nil {}
            }
            #expect(hub.counts.subscriptions == 0 && hub.counts.accounts == 0 && hub.counts.waiting == 0)
        }
    }

    /// Resident memory in bytes.
    private static var memory: Int {
        let fields = (try? String(contentsOfFile: "/proc/self/statm", encoding: .utf8))?.split(separator: " ") ?? []
        return (fields.count > 1 ? Int(fields[1]) ?? 0 : 0) * 4_096
    }

    /// Processor time of all threads in seconds.
    private static var processorTime: Double {
        var time = timespec()
        clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time)
        return Double(time.tv_sec) + Double(time.tv_nsec) / 1_000_000_000
    }
}
