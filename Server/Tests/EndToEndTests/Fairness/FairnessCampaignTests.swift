import Foundation
import TestKit
import TestThreads
import Testing

/// For each shared resource, one account or network takes as much of it as it can get. `make campaign NAME=fairness` tests each resource
/// for half a minute on both engines. Other runs use the small form, which tests each of its resources for a second on one engine.
@Suite("Campaign: fairness", .blocksThreads, .runsAlone)
struct FairnessCampaignTests {
    /// The maximum memory of the server's process in bytes, under any load.
    private static let memoryLimit = 400 << 20

    @Test("a client that takes all it can get of a shared resource delays nobody else", arguments: CampaignScale.engines)
    func fairness(_ engine: Engine) async throws {
        guard CampaignScale.runs("fairness") else { return }
        let scale = FairnessScale()
        let clock = ContinuousClock()
        let start = clock.now
        let stage = try FairnessStage(engine, scale)
        defer { stage.server.killNow() }
        // On SQLite, the server's process is also the database's.
        let weights = scale.isFull && engine == .postgres ? ProcessorWeights(server: stage.server.processID) : nil
        defer { withExtendedLifetime(weights) {} }
        let operations = GreedyResource.operations(in: scale.parts(engine))
        // The first, short round warms up the server.
        var idle: PeopleFigures = [:]
        for seconds in [0.5, scale.seconds] {
            let victims = try stage.start("victims", doing: operations, seconds: seconds)
            try victims.begin()
            idle = try decode(victims)
        }
        let memory = try stage.server.residentByteCount()
        let prepared = Int((clock.now - start) / .seconds(1))
        print("fairness campaign, \(engine): \(scale.seconds) s each, prepared in \(prepared) s, \(memory >> 20) MB when idle")
        if engine == .postgres {
            print("server, PostgreSQL and clients \(weights == nil ? "share the processors without weights" : "have equal weights")")
        }
        print(FairnessTable.head(idle))
        for (operation, figures) in idle { #expect(figures.refusedCount == 0, "idle: \(operation) \(figures.refused)") }
        for resource in scale.parts(engine) where resource != .everything {
            if resource == .exports { idle["export"] = try usual(stage, ["export"])["export"] }
            if resource == .archives { idle["archive"] = try usual(stage, [GreedyResource.archive])["archive"] }
            if idle["thumbnail"] == nil, resource.victimOperations.contains("thumbnail") {
                let pictures = GreedyResource.pictureOperations(in: scale.parts(engine))
                let figures = try usual(stage, pictures)
                for operation in pictures { idle[operation] = figures[operation] }
            }
            let own = resource.victimOperations.filter(GreedyResource.ofOnePart.contains)
            if !own.isEmpty {
                let figures = try usual(stage, own)
                for operation in own { idle[operation] = figures[operation] }
            }
            let (part, slow) = try measure(stage, resource, idle, scale)
            #expect(slow.isEmpty, "\(resource): \(slow)")
            let isControlHurt = part.isControlHurt(idle) || (!scale.isFull && !resource.isControlQuick)
            #expect(isControlHurt, "control, \(resource): its own account and network were neither refused nor slow")
            if scale.isFull, let effect = resource.leastEffect {
                let count = part.attackCount(effect.count)
                #expect(count >= effect.least, "\(resource): the attacker got \(effect.count) only \(count) times")
            }
            if resource == .staged {
                #expect(part.stored < (scale.quotaMegabytes + 64) << 20, "staged \(part.stored >> 20) MB")
            }
        }
        if scale.parts(engine).contains(.everything) { try await everything(stage, idleMemory: memory, scale) }
        #expect(stage.server.terminate() == 0)
    }

    /// Measures operations without an attack, beside those of every part. Exports are measured again because the victims have uploaded
    /// since the start, so their exports have grown. Archives are measured only here, without exports beside them.
    private func usual(_ stage: FairnessStage, _ operations: [String]) throws -> PeopleFigures {
        let victims = try stage.start("victims", doing: GreedyResource.victims + operations)
        try victims.begin()
        let figures = try decode(victims)
        for operation in operations {
            let (p50, p99) = (figures[operation]?.p50 ?? 0, figures[operation]?.p99 ?? 0)
            print("<!-- \(operation) without an attack, by now: p50 \(p50) ms, p99 \(p99) ms -->")
        }
        return figures
    }

    /// Measures a part again until no operation was slow in every attempt so far, because other load on the machine may slow one attempt.
    /// Refusals do not depend on that load, so each one counts.
    /// - Returns: the figures of the last attempt, and a line for each operation that was slow in every attempt.
    private func measure(_ stage: FairnessStage, _ resource: GreedyResource, _ idle: PeopleFigures, _ scale: FairnessScale) throws
        -> (part: PartFigures, slow: [String])
    {
        var part = try once(stage, resource, attempt: 0)
        var slow = part.slow(idle, scale)
        for attempt in 1..<scale.tries {
            #expect(part.refusals.isEmpty, "\(resource): \(part.refusals)")
            if slow.isEmpty || !part.refusals.isEmpty { break }
            part = try once(stage, resource, attempt: attempt)
            slow = part.slow(idle, scale).filter { slow[$0.key] != nil }
        }
        print("\(FairnessTable.row(part))\n<!-- \(part.attack) -->")
        if resource.mostWait != nil { print("<!-- median and longest wait, ms: \(FairnessTable.waits(part)) -->") }
        #expect(part.refusals.isEmpty, "\(resource): \(part.refusals)")
        #expect(part.memory < Self.memoryLimit, "\(resource): \(part.memory >> 20) MB")
        return (part, slow.values.sorted())
    }

    private func once(_ stage: FairnessStage, _ resource: GreedyResource, attempt: Int) throws -> PartFigures {
        let stored = try stage.storedByteCount()
        let watch = MemoryWatch(stage.server.processID)
        defer { _ = watch.end() }
        let attack = try stage.start("greedy.py", [resource.rawValue, "\(attempt)"])
        // The victims start together with the attack, to hide Python's start-up time, but wait until they are told to begin.
        let victims = try stage.start("victims", doing: resource.victimOperations)
        let control = try resource.controlOperation.map { try stage.start(resource.rawValue, attempt: attempt, doing: [$0]) }
        try attack.waitUntilReady()
        for client in [victims, control] { try client?.begin() }
        let figures = try decode(victims)
        let controlFigures = try control.map(decode)
        let memory = watch.end()
        let grown = try stage.storedByteCount() - stored
        try attack.stop()
        let said = String(decoding: try attack.finish(), as: UTF8.self).trimmingCharacters(in: .whitespacesAndNewlines)
        return PartFigures(
            resource: resource, victims: figures, control: controlFigures?.values.first, attack: said,
            memory: memory, stored: grown)
    }

    private func decode(_ client: FairnessStage.Client) throws -> PeopleFigures {
        try JSONDecoder().decode(PeopleFigures.self, from: try client.finish())
    }

    /// Twelve attacks at once exceed what one account or network can do, so this judges only memory.
    private func everything(_ stage: FairnessStage, idleMemory: Int, _ scale: FairnessScale) async throws {
        let part = try once(stage, .everything, attempt: 1)
        print("\(FairnessTable.row(part))\n<!-- \(part.attack) -->")
        #expect(part.memory < Self.memoryLimit, "\(part.memory >> 20) MB with everything at once")
        guard scale.isFull else { return }
        try await Task.sleep(for: .seconds(60))
        let after = try stage.server.residentByteCount()
        print("a minute later: \(after >> 20) MB, \(Int(Double(after) / Double(idleMemory) * 100)) % of idle")
        #expect(Double(after) < Double(idleMemory) * 1.3)
    }
}
