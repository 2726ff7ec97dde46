import Database
import DatabaseEngines
import Foundation
import TestKit
import TestThreads
import Testing

@testable import FeatureTestKit
@testable import keepsake

@Suite("Round trips to PostgreSQL", .blocksThreads)
struct DatabaseTurnsTests {
    /// The smallest number of round trips among several equal requests. The server's own loops sometimes use the only connection too.
    private func fewest(_ proxy: Proxy, _ request: () async throws -> Void) async throws -> Int {
        // The first request of a kind may do more: for example, it creates the account's row of usage.
        try await request()
        var fewest = Int.max
        for _ in 1...8 {
            _ = proxy.takeTurns()
            try await request()
            fewest = min(fewest, proxy.takeTurns())
        }
        return fewest
    }

    @Test("a page of 20 moods takes at most 2, `/user/me` at most 2, and a mood without files at most 4, with an Idempotency-Key at most 5")
    func turns() async throws {
        let stores = try TestStores(.postgres)
        let proxy = try Proxy(toPort: TestSchema.port)
        let address = try stores.address().replacing(":\(TestSchema.port)", with: ":\(proxy.port)")
        try await TestServer.run(
            .postgres, on: stores,
            {
                $0.database = DatabaseAddress(address)!
                $0.databaseConnections = 1
            }
        ) { server in
            let ada = try await server.person()
            let me = try await fewest(proxy) {
                let status = try await server.send("GET", "/user/me", as: ada).status
                #expect(status == 200)
            }
            #expect((1...2).contains(me), "\(me) turns")
            let fields = [("mood", "happy"), ("note", "a walk by the sea"), ("tags", "sea,walk")]
            let mood = try await fewest(proxy) { _ = try await server.mood(fields, as: ada) }
            #expect((2...4).contains(mood), "\(mood) turns")
            let keyed = try await fewest(proxy) {
                let answer = try await server.create("moods", fields, as: ada, key: UUID().uuidString)
                #expect(answer.status == 200)
            }
            #expect((3...5).contains(keyed), "\(keyed) turns")
            for _ in 1...20 { _ = try await server.mood(fields, as: ada) }
            let page = try await fewest(proxy) {
                let answer = try await server.send("GET", server.moments(ada, "moods?limit=20"), as: ada)
                #expect(try answer.decode(MoodsPage.self).moods.count == 20)
            }
            #expect((1...2).contains(page), "\(page) turns")
        }
        proxy.close()
    }

    private struct MoodsPage: Decodable {
        struct Mood: Decodable {}
        let moods: [Mood]
    }
}
