import Core
import Database
import TestKit
import Testing

@testable import FeatureTestKit
@testable import Moments
@testable import keepsake

@Suite("Erasure of moments")
struct MomentErasureTests {
    @Test("an account's moments are erased in steps of at most 2 MB of counted bytes", arguments: Engine.allCases)
    func steps(_ engine: Engine) async throws {
        try await TestServer.run(engine) { server in
            let (ada, eve) = (try await server.person(), try await server.person("eve"))
            // A row whose bytes are not counted yet is erased in a step of its own.
            let rowBytes: [Int64?] = [900_000, 900_000, 900_000, nil, 3_000_000] + [Int64?](repeating: 20_000, count: 120)
            try await server.backend.database.write { tx in
                // Otherwise the server might count that row during the test.
                try tx.run("UPDATE row_pass SET is_done = 1")
                for (number, count) in (rowBytes + [10]).enumerated() {
                    let time = Timestamp(seconds: 1_780_315_200 + Int64(number))
                    // The last moment belongs to Eve.
                    var moment = Moment(
                        id: "m\(number)", owner: number < rowBytes.count ? ada.id : eve.id, kind: .memory, createdAt: time,
                        happenedAt: time, category: "general", groupID: nil, tags: [])
                    moment.title = "The lake"
                    try tx.send(Moment.table.insert(moment, with: ["row_bytes": count]))
                }
            }
            let store = server.backend.features[MomentsFeature.self].store
            var steps: [Int] = []
            repeat {
                steps.append(try await store.database.write { tx in try store.eraseSome(of: ada.id, limit: 100, tx) })
            } while steps.last != 0
            #expect(steps == [2, 1, 1, 1, 100, 20, 0])
            let owners = try await store.database.read { tx in
                try tx.rows("SELECT owner FROM moment").map { try $0.get("owner", as: String.self) }
            }
            #expect(owners == [eve.id])
        }
    }
}
