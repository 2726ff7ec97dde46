import Database
import Foundation
import TestKit
import TestThreads
import Testing

/// A subscriber that reconnects misses no event (`LiveCampaign`). `KEEPSAKE_CAMPAIGN=live` selects the full form.
@Suite("Campaign: a reconnect misses nothing", .blocksThreads, .runsBesideFew)
struct LiveCampaignTests {
    private static let isFull = ProcessInfo.processInfo.environment["KEEPSAKE_CAMPAIGN"] == "live"

    private func run(_ engine: Engine, _ scale: LiveCampaign.Scale, withKills: Bool = true) async throws -> LiveCampaign.Outcome {
        let stores = try TestStores(engine)
        let folder = try TemporaryFolder()
        let child = withKills ? LiveChild.killed(try stores.address("campaign"), folder: folder.path) : nil
        let outcome = try await LiveCampaign(scale, child: child).run("campaign") { try await stores.open($0, connections: 16) }
        withExtendedLifetime(folder) {}
        withExtendedLifetime(stores) {}
        return outcome
    }

    @Test("Subscribers get every number once and in order, whoever disconnects, reconnects or is killed", arguments: Engine.allCases)
    func keeps(_ engine: Engine) async throws {
        var scale = LiveCampaign.Scale()
        if Self.isFull {
            // 2,000 clients that disconnect 50 times; about 200,000 events.
            scale.accounts = 50
            scale.writesPerEmitter = 1_450
            scale.subscribers = 2_000
            scale.kills = 50
            scale.session = .milliseconds(2_500)
            scale.tick = .seconds(2)
            scale.patience = .seconds(300)
        } else {
            scale.writesPerEmitter = 60
            scale.kills = 3
        }
        let outcome = try await run(engine, scale)
        print("\(engine): \(outcome)")
        #expect(outcome.wrongs == [])
        #expect(outcome.gaps == 0)
        #expect(outcome.kills == scale.kills)
        #expect(outcome.acknowledgedByKilled > 0)
        #expect(outcome.drops > scale.subscribers)
    }

    @Test(
        "Control: the campaign detects numbers taken before the write, when the hub does not insist on the next number",
        arguments: Engine.allCases)
    func numberedAhead(_ engine: Engine) async throws {
        var scale = LiveCampaign.Scale()
        scale.emitters = 16
        scale.writesPerEmitter = 10
        scale.patience = .seconds(1)
        scale.numbering = .ahead
        scale.insists = false
        let outcome = try await run(engine, scale, withKills: false)
        #expect(outcome.wrongCount > 0)
        #expect(outcome.wrongs.contains { $0.contains(" after ") }, "\(outcome.wrongs)")
    }

    @Test("A hub that insists on the next number resets at such gaps, and the campaign detects that too", arguments: Engine.allCases)
    func numberedAheadInsisting(_ engine: Engine) async throws {
        var scale = LiveCampaign.Scale()
        scale.emitters = 16
        scale.writesPerEmitter = 10
        scale.patience = .seconds(1)
        scale.numbering = .ahead
        let outcome = try await run(engine, scale, withKills: false)
        #expect(outcome.gaps > 0)
        #expect(!outcome.wrongs.contains { $0.contains(" after ") }, "\(outcome.wrongs)")
        #expect(outcome.wrongs.contains { $0.contains("was reset") }, "\(outcome.wrongs)")
    }
}
