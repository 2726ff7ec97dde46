import Core
import Database
import TestKit
import Testing

@testable import FeatureTestKit
@testable import People
@testable import keepsake

@Suite("Query plans of friends and blocks")
struct FriendPlanTests {
    private static let now = Timestamp(seconds: 1_000_000)
    private static let key = TimeKey(at: now, id: "x")

    private static let statements: [SQL] = [
        FriendStore.friendship(of: "a", with: "b"), FriendStore.friend("f", of: "a"), FriendStore.friends(of: "a", among: ["b", "c"]),
        FriendStore.friendCount(of: "a"), FriendStore.deletion(ofFriendship: "f"), FriendStore.deletion(ofFriendships: ["f", "g"]),
        FriendStore.request("r"), FriendStore.requests(from: "a", to: ["b", "c"]), FriendStore.requests(to: "a", from: ["b", "c"]),
        FriendStore.pendingCount(from: "a"), FriendStore.deletion(of: "r"), FriendStore.deletion(of: ["r", "s"]),
        FriendStore.resolution(StoredFriendRequest(id: "r", sender: "a", recipient: "b", createdAt: now)),
        FriendStore.friends(of: "a"), FriendStore.recipients(of: "a"), FriendStore.rows(of: ["a", "b"], ""),
        FriendStore.hidden("a"), FriendStore.shiftFriends(of: "a", by: 1), FriendStore.shiftRecipients(of: "a", by: 1),
        FriendStore.someFriendships(of: "a", limit: 10), FriendStore.someRequests(from: "a", limit: 10),
        FriendStore.someRequests(to: "a", limit: 10), FriendStore.resolved(before: now, limit: 10),
        FriendStore.waiting(["r", "s"]),
        FriendCounts.update("a", FriendCounts.Change(friends: 1, requests: -1)),
        PersonStanding.visible(["a", "b"], to: "c"), PersonStanding.open("a"),
        BlockStore.find("a", of: "b"), BlockStore.count(of: "b"), BlockStore.delete("a", of: "b"), BlockStore.key(of: "a", of: "b"),
        BlockStore.page(of: "a", after: nil, limit: 11), BlockStore.page(of: "a", after: key, limit: 11),
        BlockStore.unlisted("a", of: "b"), BlockStore.name(of: "a"),
        BlockStore.some(by: "a", limit: 10), BlockStore.some(of: "a", limit: 10), BlockStore.delete(["a", "b"]),
    ]

    private static let lists: [SQL] = FriendStore.List.allCases.flatMap { list in
        [
            FriendStore.page(list, of: "a", after: nil, limit: 11), FriendStore.page(list, of: "a", after: key, limit: 11),
            FriendStore.key(of: "x", list, of: "a"),
        ]
    }

    @Test("each statement finds its rows by an index and sorts nothing", arguments: Engine.allCases)
    func plans(_ engine: Engine) async throws {
        try await TestServer.run(engine, tables: nil) { server in
            for statement in Self.statements + Self.lists {
                let plan = try await QueryPlan(statement, on: server.backend.database)
                #expect(!plan.steps.isEmpty && plan.faults.isEmpty, "\(plan)")
            }
        }
    }

    @Test("a page walks its own index, wherever it begins", arguments: Engine.allCases)
    func indexes(_ engine: Engine) async throws {
        let indexes: [FriendStore.List: String] = [
            .friends: "friendship_by_time", .requests: "friend_request_received", .sent: "friend_request_sent",
        ]
        try await TestServer.run(engine, tables: nil) { server in
            for (list, index) in indexes {
                for key in [nil, Self.key] {
                    let plan = try await QueryPlan(
                        FriendStore.page(list, of: "a", after: key, limit: 11), on: server.backend.database)
                    #expect(plan.uses(index), "\(plan)")
                }
            }
        }
    }
}
