import Foundation
import TestKit
import TestThreads
import Testing

@Suite("Campaign: database", .blocksThreads)
struct DatabaseCampaignTests {
    @Test("killing and restarting PostgreSQL during uploads causes errors, but loses nothing acknowledged")
    func restarted() async throws {
        guard CampaignScale.runs("database") else { return }
        let rounds = CampaignScale.isFull("database") ? 50 : 3
        let service = try PostgresService(port: 15_434)
        let installation = try Installation(.shared, database: service.address)
        let node = try installation.node("one")
        let person = try installation.person()
        let url = "http://127.0.0.1:\(node.port)"
        var acknowledged: [(String, String)] = []
        for round in 1...rounds {
            let load = Load(url: url, person: (person.id, person.token), givesUp: false)
            let working = Task { await load.run() }
            try await Task.sleep(for: .milliseconds(Int.random(in: 200...600)))
            if round % 2 == 0 {
                try service.restart()
            } else {
                try service.kill()
                try await Task.sleep(for: .milliseconds(300))
                try service.start()
            }
            try await healthy(url)
            // The server recovers without a restart.
            let before = load.acknowledged.count
            for _ in 0..<3_000 where load.acknowledged.count == before { try await Task.sleep(for: .milliseconds(10)) }
            #expect(load.acknowledged.count > before)
            load.stop()
            await working.value
            acknowledged += load.acknowledged
            CampaignScale.progress(round, of: rounds)
        }
        var lost = 0
        for (path, hash) in acknowledged {
            let (status, bytes) = try await Load.get(url + path, person.token)
            if status != 200 || Load.hash(bytes) != hash { lost += 1 }
        }
        print("database campaign: \(rounds) crashes of PostgreSQL, \(acknowledged.count) files acknowledged, \(lost) lost")
        #expect(lost == 0)
        #expect(acknowledged.count > rounds)
        #expect(node.terminate() == 0)
        withExtendedLifetime(service) {}
    }

    private func healthy(_ url: String) async throws {
        for _ in 1...(CampaignScale.isFull("database") ? 100 : 600) {
            if let (status, _) = try? await Load.get(url + "/health/ready", ""), status == 200 { return }
            try await Task.sleep(for: .milliseconds(50))
        }
        Issue.record("not ready in time")
    }
}
