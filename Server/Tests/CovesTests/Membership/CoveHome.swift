import Foundation
import KeepsakeWire
import TestKit
import Testing

@testable import Database
@testable import FeatureTestKit
@testable import keepsake

/// Requests that the tests of coves, members and invitations share.
extension EventHome {
    typealias Person = TestServer.Person

    func post(_ path: String, _ body: [String: Any], as person: Person?, key: String? = nil) async throws -> TestServer.Answer {
        try await server.sendJSON("POST", path, body, as: person, key: key)
    }

    func person(_ name: String) async throws -> Person {
        let person = try await server.person(name)
        try await server.onboard(name.capitalized, as: person)
        return person
    }

    /// A new member of the cove.
    func member(_ name: String) async throws -> Person {
        let person = try await person(name)
        try await join(person)
        return person
    }

    func members(_ rest: String = "", as person: Person? = nil) async throws -> CoveMembersResponse {
        try await server.send("GET", "/cove-members?coveId=\(cove)\(rest)", as: person ?? ada).decodeCoves(CoveMembersResponse.self)
    }

    /// The names of the cove's members. The name of an ADMIN is followed by `*`.
    func roll(as person: Person? = nil) async throws -> Set<String> {
        Set(try await members("&limit=50", as: person).members.map { $0.name + ($0.role == .admin ? "*" : "") })
    }

    func details(as person: Person? = nil, _ id: String? = nil) async throws -> CoveDetails {
        let answer = try await server.send("GET", "/cove?coveId=\(id ?? cove)", as: person ?? ada)
        return try answer.decodeCoves(CoveResponse.self).cove
    }

    func coves(of person: Person) async throws -> [String] {
        try await server.send("GET", "/user-coves", as: person).decodeCoves(UserCoves.self).coves.map(\.id)
    }

    func edit(_ fields: [String: Any], as person: Person? = nil) async throws -> TestServer.Answer {
        try await post("/edit-cove", fields.merging(["coveId": cove]) { $1 }, as: person ?? ada)
    }

    func invite(_ numbers: [String], _ fields: [String: Any] = [:], as person: Person? = nil) async throws -> TestServer.Answer {
        let usual: [String: Any] = ["coveId": cove, "phoneNumbers": numbers]
        return try await post("/send-invite", usual.merging(fields) { $1 }, as: person ?? ada)
    }

    func invites(of person: Person) async throws -> [KeepsakeWire.Invite] {
        try await server.send("GET", "/invites", as: person).decodeCoves(InviteList.self).invites
    }

    func close(_ person: Person, keepCoves: Bool? = nil) async throws {
        try await close(person, by: "/delete-user", keepCoves.map { ["keepCoves": $0] } ?? [:])
    }

    func close(_ person: Person, by path: String, _ body: [String: Any]) async throws {
        let answer = try await post(path, body, as: person)
        try #require(answer.status == 200, "\(answer.text)")
    }

    /// Whether each cove's stored member count equals the number of its visible members.
    func countsAreExact() async throws -> Bool {
        try await server.backend.database.read { tx in
            let wrong = try tx.rows(
                """
                SELECT id FROM cove WHERE ended_at IS NULL AND member_count <> (
                    SELECT COUNT(*) FROM cove_member WHERE cove_member.cove = cove.id AND cove_member.hidden = 0)
                """)
            return wrong.isEmpty
        }
    }

    /// The number of coves that have visible members and no visible ADMIN.
    func covesWithoutAdmin() async throws -> Int {
        try await server.backend.database.read { tx in
            try tx.rows(
                """
                SELECT id FROM cove WHERE ended_at IS NULL
                    AND EXISTS (SELECT 1 FROM cove_member WHERE cove_member.cove = cove.id AND cove_member.hidden = 0)
                    AND NOT EXISTS (
                        SELECT 1 FROM cove_member WHERE cove_member.cove = cove.id AND cove_member.hidden = 0
                            AND cove_member.role = 'ADMIN')
                """
            ).count
        }
    }
}
