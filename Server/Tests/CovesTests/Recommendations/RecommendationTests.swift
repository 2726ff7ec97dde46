import Core
import Database
import Foundation
import KeepsakeWire
import TestKit
import Testing

@testable import Coves
@testable import FeatureTestKit
@testable import keepsake

@Suite("Recommended friends")
struct RecommendationTests {
    @Test("people of one's coves, most shared first, without friends and people with a pending request", arguments: StoragePair.allCases)
    func order(_ pair: StoragePair) async throws {
        try await EventHome.run(pair) { home in
            let (server, ada, bob, eve) = (home.server, home.ada, home.bob, home.eve)
            let nobody = try await server.send("GET", "/recommended-friends", as: eve)
            let nothing = try EventHome.value(#"{"users":[],"pagination":{"hasMore":false,"nextCursor":null}}"#)
            #expect(try nobody.decode(JSONValue.self) == nothing, "\(nobody.text)")
            try await home.join(eve)
            let zoe = try await home.person("zoe")
            let second = try await home.anotherCove("Second", by: ada)
            for person in [eve, zoe] { try await home.join(person, second) }
            // Zoe and Bob share one cove with Ada, Eve two.
            let list = try await server.send("GET", "/recommended-friends", as: ada)
            let ones = [("Bob", bob), ("Zoe", zoe)].sorted { $0.1.id < $1.1.id }.map {
                #"{"id":"\#($0.1.id)","name":"\#($0.0)","profilePhotoUrl":null,"sharedCoveCount":1}"#
            }
            let expected = """
                {"users":[{"id":"\(eve.id)","name":"Eve","profilePhotoUrl":null,"sharedCoveCount":2},\(ones.joined(separator: ","))],
                "pagination":{"hasMore":false,"nextCursor":null}}
                """
            #expect(try list.decode(JSONValue.self) == EventHome.value(expected), "\(list.text)")
            let read: @Sendable () async throws -> Set<String> = {
                let answer = try await server.send("GET", "/recommended-friends", as: ada)
                return Set(try answer.decodeCoves(RecommendedFriends.self).users.map(\.name))
            }
            try await server.befriend(ada, eve)
            #expect(try await read() == ["Bob", "Zoe"])
            let asked = try await server.requestFriend(bob, as: ada)
            #expect(try await read() == ["Zoe"])
            #expect(try await server.sendJSON("POST", "/cancel-friend-request", ["requestId": asked], as: ada).status == 200)
            _ = try await server.requestFriend(ada, as: bob)
            #expect(try await read() == ["Zoe"])
            // An ended cove recommends nobody.
            #expect(try await home.post("/delete-cove", ["coveId": second], as: ada).status == 200)
            #expect(try await read() == [])
        }
    }

    @Test(
        "in a large cove the 100 who joined last are looked at, and their shared coves are counted whole", arguments: StoragePair.allCases)
    func large(_ pair: StoragePair) async throws {
        try await EventHome.run(pair) { home in
            let server = home.server
            try await home.addMembers(0..<150)
            let second = try await home.anotherCove("Second", by: home.ada)
            server.clock.advance(by: .seconds(1))
            try await home.addMembers(150..<200)
            let now = server.clock.now
            try await server.backend.database.write { tx in
                // Members 0 and 199 share both coves with Ada. Of these two, only 199 is among the last to join the large cove.
                for number in [0, 199] {
                    try tx.run(
                        """
                        INSERT INTO cove_member (id, cove, account, role, joined_at)
                        VALUES (\("second of \(number)"), \(second), \(EventHome.member(number)), 'MEMBER', \(now))
                        """)
                }
                try tx.run("UPDATE cove SET member_count = 3 WHERE id = \(second)")
            }
            var users: [RecommendedFriend] = []
            var cursor: String?
            repeat {
                let rest = cursor.map { "&cursor=\($0)" } ?? ""
                let answer = try await server.send("GET", "/recommended-friends?limit=50" + rest, as: home.ada)
                let page = try answer.decodeCoves(RecommendedFriends.self)
                users += page.users
                cursor = page.pagination.nextCursor
            } while cursor != nil
            #expect(users.prefix(2).map(\.id) == [EventHome.member(0), EventHome.member(199)])
            #expect(users.map(\.sharedCoveCount) == [2, 2] + Array(repeating: 1, count: users.count - 2))
            #expect(users.count == 101 && Set(users.map(\.id)).count == 101)
        }
    }

    /// `make campaign NAME=coves` measures with a million members.
    @Test("the work is the same however large the coves are", arguments: CampaignScale.pairs)
    func work(_ pair: StoragePair) async throws {
        guard CampaignScale.runs("coves") else { return }
        let (few, many) = CampaignScale.isFull("coves") ? (10_000, 1_000_000) : (300, 3_300)
        try await EventHome.run(pair) { home in
            let database = home.server.backend.database
            let grow: @Sendable (Int, Int) async throws -> Void = { from, to in
                for start in stride(from: from, to: to, by: 10_000) {
                    try await home.addMembers(start..<min(start + 10_000, to))
                    CampaignScale.progress(start, of: to)
                }
            }
            let measure: @Sendable () async throws -> Int = {
                let recording = RecordingDatabase(database)
                let store = RecommendationStore(database: recording, clock: home.server.clock.wall)
                let page = try await store.people(for: home.ada.id, PageRequest(after: nil, limit: 20))
                #expect(page.rows.count == 20 && page.next != nil)
                var work = 0
                for statement in recording.statements() { work += try await EngineWork.measure(statement, on: database) }
                return work
            }
            try await grow(0, few)
            let before = try await measure()
            try await grow(few, many)
            let after = try await measure()
            print("coves campaign, \(pair), a page of 20 recommended friends among \(few) and \(many) members: \(before) → \(after)")
            // Constants bound the work, whatever the number of members. PostgreSQL may read one more level of an index for each look-up, so
            // at most 4 buffers instead of 2.
            #expect(Double(after) <= Double(before) * (pair == .embedded ? 1.1 : 2))
        }
    }
}
