import Core
import Database
import Foundation
import Jobs
import Synchronization
import TestKit

/// Kills nodes that run jobs at random moments. Each job must take effect exactly once, and another node must soon resume the jobs of a
/// killed node.
struct JobCampaign {
    /// The database's address in the format of `KEEPSAKE_DATABASE`. The parent and its children open it by `JobChild.open`.
    let address: String
    let kills: Int

    /// `make campaign NAME=jobs` runs the full form; every other run uses the small one.
    static var isFull: Bool { named == "jobs" }
    static var runs: Bool { named == nil || isFull }
    private static let named = ProcessInfo.processInfo.environment["KEEPSAKE_CAMPAIGN"]

    struct Report: CustomStringConvertible {
        var kills = 0
        var jobs = 0
        /// The number of jobs without an effect. `doubled` counts the jobs with more than one effect.
        var missing = 0
        var doubled = 0
        var parked = 0
        /// The time from a kill until another attempt had the job.
        var takeOvers: [Duration] = []
        /// The number of jobs of killed nodes that no other node had resumed by the end.
        var forgotten = 0

        var slowest: Duration { takeOvers.max() ?? .zero }

        var description: String {
            func seconds(_ duration: Duration?) -> String { duration.map { "\(($0 / .milliseconds(10)).rounded() / 100) s" } ?? "none" }
            let sorted = takeOvers.sorted()
            return "jobs: \(kills) kills, \(jobs) jobs, \(missing) missing, \(doubled) doubled, \(parked) parked, "
                + "\(sorted.count) take-overs, p50 \(seconds(sorted.isEmpty ? nil : sorted[sorted.count / 2])), "
                + "max \(seconds(sorted.last)), \(forgotten) forgotten"
        }
    }

    /// The state that the tasks of one run share.
    private final class RunState: Sendable {
        let losses = Mutex(Losses())
        let jobs = Mutex(0)
        let isKilling = Mutex(true)
    }

    /// The jobs that nodes were running when they were killed.
    private struct Losses {
        var waiting: [String: (attempt: Int, since: ContinuousClock.Instant)] = [:]
        var takeOvers: [Duration] = []

        mutating func look(_ current: [String: Int]) {
            let now = ContinuousClock.now
            for (id, loss) in waiting where current[id].map({ $0 > loss.attempt }) ?? true {
                takeOvers.append(now - loss.since)
                waiting[id] = nil
            }
        }
    }

    func run() async throws -> Report {
        let database = try await JobChild.open(address)
        do {
            try await database.migrate(JobStore.migrations + [JobFixture.effects])
            let report = try await run(database)
            try await database.close()
            return report
        } catch {
            try? await database.close()
            throw error
        }
    }

    private func run(_ database: any Database) async throws -> Report {
        let state = RunState()
        try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask {
                while state.isKilling.withLock({ $0 }) {
                    try await refill(database, state)
                    try await Task.sleep(for: .milliseconds(100))
                }
            }
            group.addTask {
                while !Task.isCancelled {
                    try await look(database, state)
                    try? await Task.sleep(for: .milliseconds(25))
                }
            }
            var children = try (0..<2).map { try JobChild(node: "node \($0) from the start", database: address) }
            for number in 0..<kills {
                let index = number % 2
                try await killOne(children[index], database, state)
                children[index] = try JobChild(node: "node \(index) after kill \(number)", database: address)
            }
            state.isKilling.withLock { $0 = false }
            let store = JobStore(database: database, clock: .system)
            let end = ContinuousClock.now + .seconds(180)
            while try await store.counts().contains(where: { $0.ready + $0.running > 0 }), ContinuousClock.now < end {
                try await Task.sleep(for: .milliseconds(50))
            }
            for child in children { await child.killNow() }
            try await look(database, state)
            group.cancelAll()
        }
        var report = Report()
        report.kills = kills
        report.jobs = state.jobs.withLock { $0 }
        let effects = try await effects(database)
        report.missing = (0..<report.jobs).count { effects[$0] == nil }
        report.doubled = effects.values.count { $0 > 1 }
        report.parked = try await JobStore(database: database, clock: .system).counts().reduce(0) { $0 + $1.parked }
        (report.takeOvers, report.forgotten) = state.losses.withLock { ($0.takeOvers, $0.waiting.count) }
        return report
    }

    /// Keeps enough jobs waiting that every node is always busy.
    private func refill(_ database: any Database, _ state: RunState) async throws {
        let store = JobStore(database: database, clock: .system)
        guard try await store.counts().reduce(0, { $0 + $1.ready }) < 60 else { return }
        let first = state.jobs.withLock { jobs in
            jobs += 60
            return jobs - 60
        }
        let queue = JobQueue(clock: .system, identifiers: Identifiers(clock: .system, entropy: .system))
        let moments = (0..<60).map { _ in Int.random(in: 20...100) }
        try await database.write { tx in
            for (index, moment) in moments.enumerated() {
                try queue.enqueue(Increment(number: first + index, milliseconds: moment), owner: nil, tx)
            }
        }
    }

    /// Waits until a node runs a job, then kills it at a random moment.
    private func killOne(_ child: JobChild, _ database: any Database, _ state: RunState) async throws {
        let end = ContinuousClock.now + .seconds(60)
        while try await inHand(of: child.node, database).isEmpty {
            guard ContinuousClock.now < end else { throw JobSuite.Failure(description: "a node does nothing") }
            try await Task.sleep(for: .milliseconds(10))
        }
        try await Task.sleep(for: .milliseconds(Int.random(in: 0...200)))
        await child.killNow()
        let now = ContinuousClock.now
        let lost = try await inHand(of: child.node, database)
        state.losses.withLock { losses in
            for (id, attempt) in lost { losses.waiting[id] = (attempt, now) }
        }
    }

    private func inHand(of node: String, _ database: any Database) async throws -> [String: Int] {
        try await database.read { tx in
            try tx.rows("SELECT id, attempt FROM job WHERE state = 'running' AND worker = \(node)").reduce(into: [:]) { jobs, row in
                jobs[try row.get("id")] = try row.get("attempt", as: Int.self)
            }
        }
    }

    private func look(_ database: any Database, _ state: RunState) async throws {
        let ids = state.losses.withLock { Array($0.waiting.keys) }
        let current = try await database.read { tx in
            try ids.reduce(into: [String: Int]()) { current, id in
                current[id] = try tx.row("SELECT attempt FROM job WHERE id = \(id)")?.get("attempt")
            }
        }
        state.losses.withLock { losses in
            var known = current
            // A node lost this job after the rows above were read. The next call checks it.
            for (id, loss) in losses.waiting where !ids.contains(id) { known[id] = loss.attempt }
            losses.look(known)
        }
    }

    private func effects(_ database: any Database) async throws -> [Int: Int] {
        try await database.read { tx in
            try tx.rows("SELECT number, n FROM effect").reduce(into: [:]) { effects, row in
                effects[try row.get("number")] = try row.get("n", as: Int.self)
            }
        }
    }
}
