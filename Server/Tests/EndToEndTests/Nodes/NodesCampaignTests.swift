import Foundation
import TestKit
import TestThreads
import Testing

/// Nodes die and hang, PostgreSQL and radosgw restart, and clients notice only that they have to retry.
@Suite("Campaign: nodes", .serialized, .blocksThreads)
struct NodesCampaignTests {
    private struct Report {
        var kills = 0
        var pauses = 0
        var restarts = 0
        var ledger = ClusterLedger()
        var retries = 0
        var lost: [String] = []
        var doubled = 0
        var events = 0
        var eventFaults: [String] = []
        var reconnections = 0
        var verification = ""

        var line: String {
            "\(kills) nodes killed, \(pauses) paused, \(restarts) restarts of services: \(ledger.acknowledged) writes acknowledged, \(lost.count) lost, \(doubled) doubled; \(ledger.searches) searches; \(ledger.endedTokens.count) sign-outs, \(ledger.admitted) ended sessions admitted; \(events) events over \(reconnections) connections, \(eventFaults.count) faults; \(retries) requests retried, \(ledger.unanswered.count) unanswered, \(ledger.wrong.count) wrong"
        }
    }

    private static let isFull = CampaignScale.isFull("nodes")

    private typealias Faults = (NodeCluster, inout Report) async throws -> Void

    /// Runs `faults` while four people and their devices use three nodes, then compares what the nodes hold with what clients were told.
    private static func run(
        database: String, blobs: [String: String], patience: Duration? = .seconds(90), _ faults: Faults
    ) async throws -> Report {
        let cluster = try NodeCluster(3, database: database, settings: blobs)
        // In the small form, nodes hang for only two seconds, so the timeout is shorter.
        let patient = RetryingClient(url: cluster.url, timeout: isFull ? .seconds(4) : .seconds(3))
        let people = try await ClusterLoad.people(isFull ? 4 : 2, patient)
        let load = ClusterLoad(patience == nil ? RetryingClient(url: cluster.url, patience: nil) : patient, people)
        var watches: [EventWatch] = []
        for person in people {
            let head = try await EventWatch.head(person.person, patient)
            for _ in 0..<2 { watches.append(EventWatch(person.person, port: cluster.nginx.port, since: head)) }
        }
        var report = Report()
        let working = Task { [watches] in
            await withTaskGroup(of: Void.self) { group in
                group.addTask { await load.run() }
                for (number, watch) in watches.enumerated() {
                    if number % 2 == 0 {
                        group.addTask { await watch.poll() }
                    } else {
                        // `listen` blocks its thread.
                        group.addTask(executorPreference: BlockingThreads.shared) { watch.listen() }
                    }
                }
                await group.waitForAll()
            }
        }
        var failure: (any Error)?
        do {
            try await faults(cluster, &report)
        } catch {
            failure = error
        }
        load.stop()
        // The devices catch up.
        if failure == nil, patience != nil { try await catchUp(watches, people, patient) }
        for watch in watches { watch.stop() }
        await working.value
        if let failure { throw failure }
        if patience != nil {
            let audit = try await ClusterAudit(load.ledger, people, patient)
            (report.lost, report.doubled) = (audit.lost, audit.doubled)
            try await load.checkEnded(load.ledger.endedTokens.suffix(300), on: cluster.ports.map { "http://127.0.0.1:\($0)" })
            let verified = try cluster.run(["verify"])
            report.verification = verified.status == 0 ? "" : verified.output + verified.errors
        }
        report.ledger = load.ledger
        report.retries = load.client.retries
        for (number, watch) in watches.enumerated() {
            let seen = watch.seen
            report.events += seen.count
            report.reconnections += seen.connections
            report.eventFaults += seen.faults
            let moods = load.ledger.moods[people[number / 2].person.id] ?? []
            if patience != nil, seen.moods != Dictionary(uniqueKeysWithValues: moods.map { ($0, 1) }) {
                report.eventFaults.append("\(seen.moods.count) moods announced, \(moods.count) acknowledged")
            }
        }
        #expect(cluster.stopAll() == [0, 0, 0])
        return report
    }

    private static func catchUp(_ watches: [EventWatch], _ people: [ClusterLoad.Person], _ client: RetryingClient) async throws {
        for (number, watch) in watches.enumerated() {
            // Waits until the last requests have ended and cause no more events.
            for _ in 0..<600 {
                let before = watch.seen.last
                let head = try await EventWatch.head(people[number / 2].person, client)
                try await Task.sleep(for: .milliseconds(200))
                if watch.seen.last == head, before == head { break }
            }
        }
    }

    /// Kills one node and pauses another, then brings both back.
    private static func strike(_ cluster: NodeCluster, pause: Duration, _ report: inout Report) async throws {
        let order = [0, 1, 2].shuffled()
        cluster.kill(order[0])
        report.kills += 1
        cluster.pause(order[1])
        report.pauses += 1
        try await Task.sleep(for: pause / 2)
        try cluster.start(order[0])
        try await Task.sleep(for: pause / 2)
        cluster.resume(order[1])
    }

    private static func expectNothingSeen(_ report: Report) {
        #expect(report.lost.isEmpty, "\(report.lost.prefix(5))")
        #expect(report.doubled == 0)
        #expect(report.ledger.admitted == 0)
        #expect(report.ledger.wrong.isEmpty, "\(report.ledger.wrong.prefix(5))")
        #expect(report.ledger.unanswered.isEmpty, "\(report.ledger.unanswered.prefix(5))")
        #expect(report.eventFaults.isEmpty, "\(report.eventFaults.prefix(5))")
        #expect(report.verification.isEmpty, "\(report.verification)")
        #expect(report.kills > 0 && report.pauses > 0)
        #expect(report.ledger.acknowledged > 10 && report.ledger.endedTokens.count > 0 && report.events > 10)
    }

    @Test("clients of three nodes, of which one is killed and one hangs at a time, see nothing but retries")
    func survives() async throws {
        guard CampaignScale.runs("nodes") else { return }
        guard Self.isFull else {
            let stores = try TestStores(.postgres)
            let report = try await Self.run(database: stores.address(), blobs: SharedBlobs.settings()) { cluster, report in
                try await Task.sleep(for: .seconds(2))
                for _ in 0..<2 {
                    try await Self.strike(cluster, pause: .seconds(2), &report)
                    try await Task.sleep(for: .seconds(2))
                }
            }
            print("nodes campaign: \(report.line)")
            Self.expectNothingSeen(report)
            withExtendedLifetime(stores) {}
            return
        }
        let postgres = try PostgresService(port: 15_441)
        let ceph = try CephService(port: 17_491)
        let report = try await Self.run(database: postgres.address, blobs: SharedBlobs.settings(port: ceph.port)) { cluster, report in
            let rounds = 60
            for round in 0..<rounds {
                let start = ContinuousClock.now
                try await Self.strike(cluster, pause: .seconds(5), &report)
                if round == rounds / 3 {
                    try ceph.kill()
                    try await Task.sleep(for: .seconds(1))
                    try ceph.start()
                    report.restarts += 1
                }
                if round == rounds * 2 / 3 {
                    try postgres.restart()
                    report.restarts += 1
                }
                CampaignScale.progress(round + 1, of: rounds)
                let left = start + .seconds(10) - .now
                if left > .zero { try await Task.sleep(for: left) }
            }
        }
        print("nodes campaign: \(report.line)")
        Self.expectNothingSeen(report)
        #expect(report.kills == 60 && report.restarts == 2)
        withExtendedLifetime((postgres, ceph)) {}
    }

    @Test("control: if each node keeps its files in a folder, clients see that")
    func control() async throws {
        guard CampaignScale.runs("nodes") else { return }
        let stores = try TestStores(.postgres)
        let report = try await Self.run(database: stores.address(), blobs: [:], patience: nil) { _, _ in
            try await Task.sleep(for: .seconds(3))
        }
        print("nodes campaign, control with local files: \(report.line)")
        let seen = report.ledger.wrong + report.ledger.unanswered
        #expect(seen.contains { $0.contains("/multimedia/files/") || $0.hasPrefix("file: ") }, "\(seen.prefix(5))")
        withExtendedLifetime(stores) {}
    }
}
