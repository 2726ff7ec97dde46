import Database
import TestKit
import Testing

@testable import FeatureTestKit
@testable import People
@testable import keepsake

@Suite("Query plans of profiles, photos and contacts")
struct PeoplePlanTests {
    private static let statements: [SQL] = [
        ProfileStore.values(of: "a"),
        ProfileStore.view("a", by: "b", ProfileVisibility(of: "a", to: "b", hasCommonCove: true)),
        ProfileStore.showing("a"), PhotoStore.photos(of: "a"), ContactStore.lookups.known("a", day: 1),
        ContactStore.cards(["a", "b"], visibleTo: "c"), ContactStore.lookups.deletion(before: 1, limit: 100),
        NoticeStore.sent.known("a", day: 1), NoticeStore.sent.deletion(before: 1, limit: 100),
    ]

    @Test("each statement finds its rows by an index and sorts nothing", arguments: Engine.allCases)
    func plans(_ engine: Engine) async throws {
        try await TestServer.run(engine, tables: nil) { server in
            for statement in Self.statements {
                let plan = try await QueryPlan(statement, on: server.backend.database)
                #expect(!plan.steps.isEmpty && plan.faults.isEmpty, "\(plan)")
            }
        }
    }
}
