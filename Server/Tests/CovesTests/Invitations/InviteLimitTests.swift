import Core
import Foundation
import KeepsakeWire
import TestKit
import Testing

@testable import Database
@testable import FeatureTestKit
@testable import People
@testable import keepsake

@Suite("Limits of invitations to coves")
struct InviteLimitTests {
    private static let bobs = "+14155550101"
    private static let eves = "+14155552671"
    private static let free = "+14155552672"

    @Test("a cove full of invitations does not tell whose number is a member's", arguments: StoragePair.allCases)
    func fullCove(_ pair: StoragePair) async throws {
        try await EventHome.run(pair) { home in
            try await home.server.setPhone(Self.bobs, of: home.bob)
            try await home.addInvites(9_999)
            // The same response whether or not one of the two numbers is a member's.
            for numbers in [[Self.bobs, Self.free], [Self.eves, Self.free]] {
                let answer = try await home.invite(numbers)
                #expect(answer.status == 409 && answer.text.contains("10000"), "\(answer.text)")
            }
            // Control: the member's number alone fits.
            #expect(try await home.invite([Self.bobs]).text.contains("already a member"))
            #expect(try await home.invite([Self.free]).text.contains("1 invitation was sent."))
            #expect(try await home.invite([Self.bobs]).status == 409)
            // A number with an invitation needs no place.
            #expect(try await home.invite([Self.free]).text.contains("already exists"))
        }
    }

    @Test("numbers count against the daily limit of look-ups, also those of refused requests", arguments: StoragePair.allCases)
    func budget(_ pair: StoragePair) async throws {
        try await EventHome.run(pair) { home in
            let (server, ada, eve) = (home.server, home.ada, home.eve)
            let day = ContactRules.day(of: server.clock.now)
            // All but two of the day's numbers.
            let bytes = (UInt64(0)..<19_998).flatMap { hash in withUnsafeBytes(of: hash.bigEndian) { Array($0) } }
            let used = NumberHashes(bytes: bytes)
            try await server.backend.database.write { tx in
                for person in [ada, eve] { try tx.run(ContactStore.keep(used.bytes, of: person.id, day: day)) }
            }
            for _ in 0..<2 { #expect(try await home.invite([Self.eves, Self.free]).status == 200) }
            let beyond = try await home.invite([Self.bobs])
            #expect(beyond.status == 429 && !beyond.text.contains("already"), "\(beyond.text)")
            #expect(try await home.post("/contacts", ["phoneNumbers": [Self.bobs]], as: ada).status == 429)
            #expect(try await home.invite([Self.free]).text.contains("already exists"))
            // Eve is no member.
            #expect(try await home.invite([Self.bobs, Self.free], as: eve).status == 403)
            #expect(try await home.invite([Self.eves], as: eve).status == 429)
            server.clock.advance(by: .days(1))
            #expect(try await home.invite([Self.bobs], as: try await server.person()).status == 200)
        }
    }
}

extension EventHome {
    /// Inserts invitations of the cove, at most 1,999 a sender, and makes their senders ADMINs of it.
    /// - Returns: the accounts of the senders.
    @discardableResult
    func addInvites(_ count: Int) async throws -> [String] {
        let (cove, now) = (cove, server.clock.now)
        let later = now + .days(90)
        let senders = (0...count / 1_999).map { Self.member($0) }
        try await addMembers(0..<senders.count)
        try await server.backend.database.write { tx in
            for sender in senders { try tx.run("UPDATE cove_member SET role = 'ADMIN' WHERE cove = \(cove) AND account = \(sender)") }
            // 500 a statement.
            for start in stride(from: 0, to: count, by: 500) {
                var values: SQL = ""
                for number in start..<min(start + 500, count) {
                    let (id, phone, sender) = ("i\(number)", "+1999\(10_000 + number)", senders[number / 1_999])
                    let row: SQL = "(\(id), \(cove), \(phone), \(sender), 0, \(now), \(later), 0)"
                    values = number == start ? row : values + ", " + row
                }
                let head: SQL = "INSERT INTO cove_invite (id, cove, phone, sender, is_opened, created_at, expires_at, row_bytes) VALUES "
                try tx.run(head + values)
            }
        }
        return senders
    }
}
