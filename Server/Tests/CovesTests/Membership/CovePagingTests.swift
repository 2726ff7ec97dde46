import Core
import Database
import Foundation
import KeepsakeWire
import TestKit
import Testing

@testable import Coves
@testable import FeatureTestKit
@testable import keepsake

@Suite("Pages of members, invitations and recommended friends while rows change")
struct CovePagingTests {
    /// How a client asks for the next page.
    enum Way: String, CaseIterable, CustomTestStringConvertible {
        case nextCursor, plainID

        var testDescription: String { rawValue }
    }

    private struct Row: Decodable { let id: String }

    /// A page of any of the lists.
    private struct Page: Decodable {
        let members: [Row]?
        let invites: [Row]?
        let users: [Row]?
        let pagination: Pagination

        var ids: [String] { (members ?? invites ?? users ?? []).map(\.id) }
    }

    /// Reads all pages, and calls `between` after each page.
    private static func walk(
        _ path: String, _ way: Way, _ home: EventHome, between: (Int) async throws -> Void
    ) async throws -> [String] {
        var (seen, number, cursor): ([String], Int, String?) = ([], 0, nil)
        repeat {
            let query = cursor.map { "&cursor=\($0)" } ?? ""
            let answer = try await home.server.send("GET", path + query, as: home.ada)
            try #require(answer.status == 200, "\(answer.text)")
            let page = try answer.decodeCoves(Page.self)
            seen += page.ids
            cursor = page.pagination.hasMore ? (way == .nextCursor ? page.pagination.nextCursor : page.ids.last) : nil
            try await between(number)
            number += 1
            try #require(number < 100, "the pages do not end")
        } while cursor != nil
        return seen
    }

    @Test("each member who stays is shown exactly once", arguments: StoragePair.allCases, Way.allCases)
    func members(_ pair: StoragePair, _ way: Way) async throws {
        try await EventHome.run(pair) { home in
            try await home.addMembers(0..<20)
            home.server.clock.advance(by: .seconds(1))
            try await home.addMembers(20..<25)
            let path = "/cove-members?coveId=\(home.cove)&limit=4"
            // After each page, two people join. After the second page, a member who was shown and one who was not yet shown leave.
            let seen = try await Self.walk(path, way, home) { number in
                home.server.clock.advance(by: .seconds(1))
                try await home.addMembers(100 + 2 * number..<102 + 2 * number)
                if number == 1 { try await Self.remove([EventHome.member(24), EventHome.member(0)], home) }
            }
            #expect(Set(seen).count == seen.count)
            let stayed = Set((1..<24).map(EventHome.member) + [home.ada.id, home.bob.id])
            #expect(stayed.isSubset(of: seen))
            #expect(seen.allSatisfy { !$0.hasPrefix("member-1001") })
        }
    }

    private static func remove(_ accounts: [String], _ home: EventHome) async throws {
        try await home.server.backend.database.write { tx in
            for account in accounts { try tx.run("DELETE FROM cove_member WHERE account = \(account)") }
            try tx.run("UPDATE cove SET member_count = member_count - \(accounts.count) WHERE id = \(home.cove)")
        }
    }

    @Test("control: with OFFSET somebody is shown twice when somebody joins", arguments: StoragePair.allCases)
    func offset(_ pair: StoragePair) async throws {
        try await EventHome.run(pair) { home in
            try await home.addMembers(0..<20)
            var seen: [String] = []
            for page in 0..<5 {
                seen += try await home.server.backend.database.read { tx in
                    let all = CoveStore.members(of: home.cove, seenBy: home.ada.id, after: nil, limit: 4)
                    return try tx.rows(all + " OFFSET \(4 * page)").map { try $0.get("account") }
                }
                home.server.clock.advance(by: .seconds(1))
                try await home.addMembers(100 + page..<101 + page)
            }
            #expect(Set(seen).count < seen.count)
        }
    }

    @Test("each invitation that stays is shown exactly once", arguments: StoragePair.allCases, Way.allCases)
    func invitations(_ pair: StoragePair, _ way: Way) async throws {
        try await EventHome.run(pair) { home in
            var made: [String] = []
            let invite: @Sendable (Int) async throws -> [String] = { round in
                home.server.clock.advance(by: .seconds(1))
                let numbers = (0..<4).map { "+1415555\(2_000 + 10 * round + $0)" }
                return try await home.invite(numbers).decodeCoves(SentInvites.self).invites.map(\.id)
            }
            for round in 0..<3 { made += try await invite(round) }
            let all = made
            for path in ["/sent-invites?limit=3", "/sent-invites?coveId=\(home.cove)&limit=3"] {
                let seen = try await Self.walk(path, way, home) { number in
                    _ = try await invite(path.count + number)
                }
                #expect(Set(seen) == Set(all).union(seen) && Set(seen).count == seen.count, "\(path)")
            }
            let rest = try await Self.walk("/sent-invites?limit=50", way, home) { _ in }
            let cancelled = try await Self.walk("/sent-invites?limit=3", way, home) { number in
                guard number < 2 else { return }
                for id in [all[number], rest[3 * number]] {
                    let answer = try await home.server.sendJSON("DELETE", "/cancel-invite", ["inviteId": id], as: home.ada)
                    #expect(answer.status == 200)
                }
            }
            #expect(Set(cancelled).isSuperset(of: all[2...]) && Set(cancelled).count == cancelled.count)
        }
    }

    @Test("each recommended person who stays is shown exactly once, though others join", arguments: StoragePair.allCases, Way.allCases)
    func recommendations(_ pair: StoragePair, _ way: Way) async throws {
        try await EventHome.run(pair) { home in
            try await home.addMembers(0..<20)
            let seen = try await Self.walk("/recommended-friends?limit=3", way, home) { number in
                home.server.clock.advance(by: .seconds(1))
                if way == .nextCursor { try await home.addMembers(100 + number..<101 + number) }
                if number == 1 { try await Self.remove([EventHome.member(19)], home) }
            }
            #expect(Set(seen).count == seen.count)
            #expect(Set(seen).isSuperset(of: (0..<19).map(EventHome.member) + [home.bob.id]))
        }
    }

    @Test("a cursor of another list, person or cove is 400, and so is the id of a row that is gone", arguments: StoragePair.allCases)
    func cursors(_ pair: StoragePair) async throws {
        try await EventHome.run(pair) { home in
            try await home.addMembers(0..<5)
            let server = home.server
            let other = try await home.anotherCove("Other", by: home.ada)
            try await home.join(home.bob, other)
            let page = try await home.members("&limit=2")
            let cursor = try #require(page.pagination.nextCursor)
            let mine = "/cove-members?coveId=\(home.cove)&cursor="
            #expect(try await server.send("GET", mine + cursor, as: home.ada).status == 200)
            #expect(try await server.send("GET", mine + cursor, as: home.bob).status == 400)
            for path in [
                "/cove-members?coveId=\(other)&cursor=", "/sent-invites?cursor=", "/recommended-friends?cursor=",
                "/sent-invites?coveId=\(home.cove)&cursor=",
            ] {
                #expect(try await server.send("GET", path + cursor, as: home.ada).status == 400, "\(path)")
            }
            // The id of somebody else's invitation is not a valid cursor, and neither is that of a deleted row.
            try await home.setRole("ADMIN", of: home.bob)
            let bobs = try await home.invite(["+14155552671"], as: home.bob).decodeCoves(SentInvites.self).invites[0].id
            #expect(try await server.send("GET", "/sent-invites?cursor=\(bobs)", as: home.ada).status == 400)
            #expect(try await server.send("GET", "/sent-invites?cursor=\(bobs)", as: home.bob).status == 200)
            #expect(try await server.sendJSON("DELETE", "/cancel-invite", ["inviteId": bobs], as: home.bob).status == 200)
            #expect(try await server.send("GET", "/sent-invites?cursor=\(bobs)", as: home.bob).status == 400)
            let last = try #require(page.members.last?.id)
            #expect(try await server.send("GET", mine + last, as: home.ada).status == 200)
            try await Self.remove([last], home)
            #expect(try await server.send("GET", mine + last, as: home.ada).status == 400)
            #expect(try await server.send("GET", mine + home.eve.id, as: home.ada).status == 400)
            #expect(try await home.members("&limit=500").members.count == 6)
        }
    }
}
