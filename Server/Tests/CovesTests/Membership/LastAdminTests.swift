import Database
import Foundation
import KeepsakeWire
import TestKit
import Testing

@testable import FeatureTestKit
@testable import keepsake

@Suite("A cove never lacks an ADMIN, and one without members ends")
struct LastAdminTests {
    @Test("the last ADMIN can neither leave nor step down while there are other members", arguments: StoragePair.allCases)
    func last(_ pair: StoragePair) async throws {
        try await EventHome.run(pair) { home in
            let (server, ada, bob) = (home.server, home.ada, home.bob)
            let leave: @Sendable (TestServer.Person) async throws -> Int = { person in
                try await home.post("/leave-cove", ["coveId": home.cove], as: person).status
            }
            #expect(try await leave(ada) == 409)
            let stepDown = ["coveId": home.cove, "userId": ada.id, "role": "MEMBER"]
            #expect(try await home.post("/cove-role", stepDown, as: ada).status == 409)
            try await home.setRole("ADMIN", of: bob)
            #expect(try await home.post("/cove-role", stepDown, as: ada).status == 200)
            #expect(try await home.roll() == ["Bob*", "Ada"])
            // Ada still has the creator's rights.
            try await home.setRole("ADMIN", of: ada)
            try await home.setRole("MEMBER", of: bob)
            #expect(try await leave(ada) == 409)
            #expect(try await leave(bob) == 200)
            // As the only member, Ada may leave, and the cove then ends.
            #expect(try await leave(ada) == 200)
            #expect(try await home.post("/join-cove", ["coveId": home.cove], as: bob).status == 404)
            #expect(try await home.coves(of: ada).isEmpty)
            for person in [ada, bob] { _ = try await server.checkedUsage(of: person) }
        }
    }

    @Test("the last ADMIN of a cove that its creator has left is told what helps", arguments: StoragePair.allCases)
    func withoutCreator(_ pair: StoragePair) async throws {
        try await EventHome.run(pair) { home in
            let (ada, bob) = (home.ada, home.bob)
            let zoe = try await home.member("zoe")
            let body = ["coveId": home.cove]
            #expect(try await home.post("/leave-cove", body, as: ada).text.contains("Make another member ADMIN"))
            try await home.setRole("ADMIN", of: bob)
            try await home.leave(ada)
            let refused = try await home.post("/leave-cove", body, as: bob)
            #expect(refused.status == 409 && refused.text.contains("Remove the other members"), "\(refused.text)")
            let promotion = ["coveId": home.cove, "userId": zoe.id, "role": "ADMIN"]
            #expect(try await home.post("/cove-role", promotion, as: bob).status == 403)
            #expect(try await home.post("/remove-member", ["coveId": home.cove, "userId": zoe.id], as: bob).status == 200)
            #expect(try await home.post("/leave-cove", body, as: bob).status == 200)
        }
    }

    @Test("when the ADMINs leave or step down at once, one stays, and the counts are exact", arguments: StoragePair.allCases)
    func races(_ pair: StoragePair) async throws {
        try await EventHome.run(pair) { home in
            var people: [TestServer.Person] = []
            for number in 0..<4 {
                let person = try await home.member("p\(number)")
                try await home.setRole("ADMIN", of: person)
                people.append(person)
            }
            let crowd = people
            // Bob stays, so the last ADMIN may not leave.
            let statuses = try await withThrowingTaskGroup(of: Int.self) { group in
                for person in crowd + [home.ada] {
                    group.addTask { try await home.post("/leave-cove", ["coveId": home.cove], as: person).status }
                    group.addTask {
                        let body = ["coveId": home.cove, "userId": person.id, "role": "MEMBER"]
                        return try await home.post("/cove-role", body, as: home.ada).status
                    }
                }
                return try await group.reduce(into: [Int]()) { $0.append($1) }
            }
            #expect(Set(statuses).isSubset(of: [200, 403, 404, 409]), "\(statuses)")
            #expect(statuses.contains(409))
            #expect(try await home.covesWithoutAdmin() == 0)
            #expect(try await home.countsAreExact())

            // These people join, leave and are removed at the same time.
            let admin = try #require(try await home.members(as: home.bob).members.first { $0.role == .admin }?.id)
            let chief = try #require((crowd + [home.ada]).first { $0.id == admin })
            try await withThrowingTaskGroup(of: Void.self) { group in
                for person in crowd where person.id != admin {
                    for path in ["/join-cove", "/leave-cove", "/join-cove", "/leave-cove", "/join-cove"] {
                        group.addTask {
                            let status = try await home.post(path, ["coveId": home.cove], as: person).status
                            #expect([200, 403, 409].contains(status))
                        }
                    }
                    group.addTask {
                        let body = ["coveId": home.cove, "userId": person.id]
                        let status = try await home.post("/remove-member", body, as: chief).status
                        #expect(status == 200 || status == 404)
                    }
                }
                group.addTask {
                    for _ in 0..<3 {
                        try await home.server.hide(home.bob)
                        try await home.server.show(home.bob)
                    }
                }
                try await group.waitForAll()
            }
            #expect(try await home.countsAreExact())
            #expect(try await home.covesWithoutAdmin() == 0)
            for person in crowd { _ = try await home.server.checkedUsage(of: person) }
        }
    }

    @Test("an account is in at most 1,000 coves and creates at most 500, also when requests race", arguments: StoragePair.allCases)
    func bounds(_ pair: StoragePair) async throws {
        try await EventHome.run(pair) { home in
            let (server, ada, eve) = (home.server, home.ada, home.eve)
            let now = server.clock.now
            try await server.backend.database.write { tx in
                for number in 0..<999 {
                    let cove = "bulk-\(number)"
                    // Ada may create one more cove: she has created these 498 and the one of `EventHome`. Eve may join one more.
                    let creator: String? = number < 498 ? ada.id : nil
                    try tx.run(
                        """
                        INSERT INTO cove (id, creator, name, location, member_count, created_at)
                        VALUES (\(cove), \(creator), 'x', 'y', 1, \(now))
                        """)
                    try tx.run(
                        """
                        INSERT INTO cove_member (id, cove, account, role, joined_at)
                        VALUES (\("of " + cove), \(cove), \(eve.id), 'ADMIN', \(now))
                        """)
                }
            }
            let statuses = try await withThrowingTaskGroup(of: [Int].self) { group in
                for _ in 0..<4 {
                    group.addTask {
                        let created = try await home.post("/create-cove", ["name": "x", "location": "y"], as: ada).status
                        return [created, try await home.post("/join-cove", ["coveId": home.cove], as: eve).status]
                    }
                }
                return try await group.reduce(into: [[Int]]()) { $0.append($1) }
            }
            #expect(statuses.map { $0[0] }.sorted() == [200, 409, 409, 409])
            #expect(statuses.map { $0[1] }.sorted() == [200, 409, 409, 409])
            // An account that is in 1,000 coves cannot create another one.
            let refused = try await home.post("/create-cove", ["name": "x", "location": "y"], as: eve)
            #expect(refused.status == 409 && refused.text.contains("1000"), "\(refused.text)")
            // An account with the most coves is closed in one write.
            try await server.closeAccount(of: eve)
            #expect(try await home.countsAreExact())
            #expect(try await home.roll() == ["Bob", "Ada*"])
        }
    }
}
