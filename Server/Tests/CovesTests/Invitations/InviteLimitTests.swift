import Core
import Foundation
import KeepsakeWire
import TestKit
import Testing

@testable import Coves
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
            // The response is the same whether or not one of the two numbers is a member's.
            for numbers in [[Self.bobs, Self.free], [Self.eves, Self.free]] {
                let answer = try await home.invite(numbers)
                #expect(answer.status == 409 && answer.text.contains("10000"), "\(answer.text)")
            }
            // Control: one number fits, and the response then says that it belongs to a member.
            #expect(try await home.invite([Self.bobs]).text.contains("already a member"))
            #expect(try await home.invite([Self.free]).text.contains("1 invitation was sent."))
            #expect(try await home.invite([Self.bobs]).status == 409)
            // A number that has an invitation already does not count again.
            #expect(try await home.invite([Self.free]).text.contains("already exists"))
        }
    }

    @Test("numbers count against the daily limit of look-ups, also those of refused requests", arguments: StoragePair.allCases)
    func budget(_ pair: StoragePair) async throws {
        try await EventHome.run(pair) { home in
            let (server, ada, eve) = (home.server, home.ada, home.eve)
            let day = server.clock.now.daysSince1970
            // Ada and Eve have looked up all but two of the numbers that they may look up in a day.
            let bytes: [UInt8] = (UInt64(0)..<19_998).flatMap { hash in withUnsafeBytes(of: hash.bigEndian) { Array($0) } }
            let used = NumberHashes(bytes: bytes)
            try await server.backend.database.write { tx in
                for person in [ada, eve] { try tx.run(ContactStore.lookups.keep(used.bytes, of: person.id, day: day)) }
            }
            for _ in 0..<2 { #expect(try await home.invite([Self.eves, Self.free]).status == 200) }
            let beyond = try await home.invite([Self.bobs])
            #expect(beyond.status == 429 && !beyond.text.contains("already"), "\(beyond.text)")
            #expect(try await home.post("/contacts", ["phoneNumbers": [Self.bobs]], as: ada).status == 429)
            #expect(try await home.invite([Self.free]).text.contains("already exists"))
            // Eve is not a member, so her request is refused. Its two numbers count nevertheless.
            #expect(try await home.invite([Self.bobs, Self.free], as: eve).status == 403)
            #expect(try await home.invite([Self.eves], as: eve).status == 429)
            server.clock.advance(by: .days(1))
            #expect(try await home.invite([Self.bobs], as: try await server.person()).status == 200)
        }
    }

    @Test(
        "a sender has at most 2,000 open invitations to a cove, and only those of ADMINs count for the cove",
        arguments: StoragePair.allCases)
    func senders(_ pair: StoragePair) async throws {
        try await EventHome.run(pair) { home in
            let (database, ada) = (home.server.backend.database, home.ada.id)
            let senders = try await home.addInvites(9_999)
            #expect(try await home.invite([Self.eves, Self.free]).status == 409)
            try await database.write { tx in try tx.run("UPDATE cove_member SET role = 'MEMBER' WHERE account = \(senders[0])") }
            #expect(try await home.invite([Self.eves]).text.contains("1 invitation was sent."))
            #expect(try await home.invite([Self.free]).text.contains("1 invitation was sent."))
            // Ada now has 1,999 invitations: 1,997 that the first sender had, and 2 of her own.
            try await database.write { tx in
                try tx.run("DELETE FROM cove_invite WHERE id IN ('i0', 'i1')")
                try tx.run("UPDATE cove_invite SET sender = \(ada) WHERE sender = \(senders[0])")
                try tx.run("UPDATE cove_member SET role = 'MEMBER' WHERE account = \(senders[1])")
            }
            let two = try await home.invite(["+14155552673", Self.bobs])
            #expect(two.status == 409 && two.text.contains("2000"), "\(two.text)")
            #expect(try await home.invite(["+14155552673"]).text.contains("1 invitation was sent."))
            #expect(try await home.invite([Self.bobs]).status == 409)
            // Another ADMIN can still invite the number.
            try await home.setRole("ADMIN", of: home.bob)
            #expect(try await home.invite([Self.bobs], as: home.bob).text.contains("1 invitation was sent."))
        }
    }

    @Test("a number has at most 100 open invitations; those that its owner cannot see do not count", arguments: StoragePair.allCases)
    func number(_ pair: StoragePair) async throws {
        try await EventHome.run(pair) { home in
            let (server, eve) = (home.server, home.eve)
            let (now, sender) = (server.clock.now, EventHome.member(0))
            let later = now + .days(90)
            try await home.addMembers(0..<100)
            try await server.backend.database.write { tx in
                for number in 0..<100 {
                    let (cove, account) = ("bulk-\(number)", EventHome.member(number))
                    try tx.run("INSERT INTO cove (id, name, location, created_at) VALUES (\(cove), 'x', 'y', \(now))")
                    try tx.run(
                        """
                        INSERT INTO cove_member (id, cove, account, role, joined_at)
                        VALUES (\("in " + cove), \(cove), \(account), 'ADMIN', \(now))
                        """)
                    try tx.run(
                        """
                        INSERT INTO cove_invite (id, cove, phone, sender, is_opened, created_at, expires_at, row_bytes)
                        VALUES (\("to " + cove), \(cove), \(Self.eves), \(account), 0, \(now), \(later), 0)
                        """)
                }
            }
            // The limit holds although nobody has proved the number.
            #expect(try await home.invite([Self.eves]).text.contains("too many open invitations"))
            try await server.setPhone(Self.eves, of: eve)
            #expect(try await home.invites(of: eve).count == 100)
            let changes: [(String, SQL, SQL)] = [
                (
                    "the sender is no ADMIN", "UPDATE cove_member SET role = 'MEMBER' WHERE cove = 'bulk-0'",
                    "UPDATE cove_member SET role = 'ADMIN' WHERE cove = 'bulk-0'"
                ),
                (
                    "the sender is hidden", "UPDATE cove_member SET hidden = 1 WHERE cove = 'bulk-0'",
                    "UPDATE cove_member SET hidden = 0 WHERE cove = 'bulk-0'"
                ),
                (
                    "the cove has ended", "UPDATE cove SET ended_at = created_at WHERE id = 'bulk-0'",
                    "UPDATE cove SET ended_at = NULL WHERE id = 'bulk-0'"
                ),
                (
                    "the sender is blocked",
                    "INSERT INTO block (id, blocker, blocked, created_at) VALUES ('b', \(eve.id), \(sender), \(now))",
                    "DELETE FROM block"
                ),
            ]
            for (name, change, back) in changes {
                let full = try await home.invite([Self.eves])
                #expect(full.status == 200 && full.text.contains("too many open invitations"), "\(full.text)")
                try await server.backend.database.write { tx in try tx.run(change) }
                #expect(try await home.invite([Self.eves]).text.contains("1 invitation was sent."), "\(name)")
                try await server.backend.database.write { tx in
                    try tx.run(back)
                    try tx.run("DELETE FROM cove_invite WHERE cove = \(home.cove)")
                }
            }
        }
    }

    @Test("a sender has at most 5 open invitations to a number, also while its owner blocks the sender", arguments: StoragePair.allCases)
    func numberOfSender(_ pair: StoragePair) async throws {
        try await EventHome.run(pair) { home in
            let (server, ada, bob, eve) = (home.server, home.ada, home.bob, home.eve)
            try await server.setPhone(Self.eves, of: eve)
            for number in 0..<5 {
                let cove = try await home.anotherCove("Cove \(number)", by: ada)
                #expect(try await home.invite([Self.eves], ["coveId": cove]).text.contains("1 invitation was sent."))
            }
            #expect(try await home.invite([Self.eves]).text.contains("too many open invitations"))
            // The limit still holds while Eve blocks Ada. Otherwise Ada would find out about the block.
            try await server.block(ada, by: eve)
            #expect(try await home.invite([Self.eves]).text.contains("too many open invitations"))
            try await home.setRole("ADMIN", of: bob)
            #expect(try await home.invite([Self.eves], as: bob).text.contains("1 invitation was sent."))
            // Ada can send another invitation as soon as she cancels one.
            let sent = try await server.send("GET", "/sent-invites", as: ada).decodeCoves(SentInvitesPage.self).invites
            #expect(sent.count == 5)
            #expect(try await server.sendJSON("DELETE", "/cancel-invite", ["inviteId": sent[0].id], as: ada).status == 200)
            let cove = try await home.anotherCove("Another", by: ada)
            #expect(try await home.invite([Self.eves], ["coveId": cove]).text.contains("1 invitation was sent."))
        }
    }

    @Test("when a cove has ended, a job deletes its invitations, and the senders' usage is exact", arguments: StoragePair.allCases)
    func ended(_ pair: StoragePair) async throws {
        try await EventHome.run(pair) { home in
            let (server, ada, bob) = (home.server, home.ada, home.bob)
            let other = try await home.anotherCove("Other", by: ada)
            try await home.setRole("ADMIN", of: bob)
            #expect(try await home.invite([Self.eves, Self.free]).text.contains("2 invitations were sent."))
            #expect(try await home.invite([Self.bobs], as: bob).text.contains("1 invitation was sent."))
            #expect(try await home.invite([Self.eves], ["coveId": other]).text.contains("1 invitation was sent."))
            // These are more than one write deletes.
            try await home.addInvites(250)
            #expect(try await home.post("/delete-cove", ["coveId": home.cove], as: ada).status == 200)
            try await eventually {
                try await server.backend.database.read { tx in
                    try tx.rows("SELECT cove FROM cove_invite").map { try $0.get("cove", as: String.self) } == [other]
                }
            }
            for person in [ada, bob] { _ = try await server.checkedUsage(of: person) }
        }
    }

    @Test("a cove has at most 20,000 stored invitations: new ones replace those of former ADMINs", arguments: StoragePair.allCases)
    func keptOfCove(_ pair: StoragePair) async throws {
        try await EventHome.run(pair) { home in
            let (database, cove) = (home.server.backend.database, home.cove)
            let senders = try await home.addInvites(InviteRules.maxKeptForCove)
            try await database.write { tx in
                try tx.run("UPDATE cove_member SET role = 'MEMBER' WHERE cove = \(cove) AND account IN (\(sql: .list(senders)))")
            }
            #expect(try await home.invite([Self.eves, Self.free]).text.contains("2 invitations were sent."))
            let kept: Int = try await database.read { tx in
                try tx.row("SELECT COUNT(*) AS n FROM cove_invite WHERE cove = \(cove)")!.get("n")
            }
            #expect(kept == InviteRules.maxKeptForCove - InviteRules.replacedForCove + 2)
            let sent = try await home.server.send("GET", "/sent-invites", as: home.ada).decodeCoves(SentInvitesPage.self).invites
            #expect(sent.count == 2)
            _ = try await home.server.checkedUsage(of: home.ada)
        }
    }

    @Test("a sender's invitations to coves that have ended count against a limit for the number", arguments: StoragePair.allCases)
    func keptOfSender(_ pair: StoragePair) async throws {
        try await EventHome.run(pair) { home in
            let (now, ada) = (home.server.clock.now, home.ada.id)
            // These coves have no job, because they did not end by a request.
            try await home.server.backend.database.write { tx in
                for number in 0..<InviteRules.maxKeptForPhoneOfSender {
                    let cove = "ended-\(number)"
                    try tx.run(
                        "INSERT INTO cove (id, name, location, created_at, ended_at) VALUES (\(cove), 'x', 'y', \(now), \(now))")
                    try tx.run(
                        """
                        INSERT INTO cove_invite (id, cove, phone, sender, is_opened, created_at, expires_at, row_bytes)
                        VALUES (\("to " + cove), \(cove), \(Self.eves), \(ada), 0, \(now), \(now + .days(90)), 0)
                        """)
                }
            }
            #expect(try await home.invite([Self.eves]).text.contains("too many open invitations"))
            // Others can invite the number, and Ada can invite other numbers.
            #expect(try await home.invite([Self.free]).text.contains("1 invitation was sent."))
            try await home.setRole("ADMIN", of: home.bob)
            #expect(try await home.invite([Self.eves], as: home.bob).text.contains("1 invitation was sent."))
            try await home.server.backend.database.write { tx in
                try tx.run("DELETE FROM cove_invite WHERE cove = 'ended-0' OR cove = \(home.cove)")
            }
            #expect(try await home.invite([Self.eves]).text.contains("1 invitation was sent."))
        }
    }

    @Test("an invitation to a number that has very many replaces those of former ADMINs of any cove", arguments: StoragePair.allCases)
    func replacedForNumber(_ pair: StoragePair) async throws {
        try await EventHome.run(pair) { home in
            let (database, bob, now) = (home.server.backend.database, home.bob.id, home.server.clock.now)
            try await home.addCoves(inviting: Self.eves, count: InviteRules.crowdedForPhone + 2)
            try await database.write { tx in
                // Bob is still an ADMIN of the first cove, and a suspended one of the second.
                for (cove, hidden) in [("many-0", 0), ("many-1", 1)] {
                    try tx.run(
                        """
                        INSERT INTO cove_member (id, cove, account, role, joined_at, hidden)
                        VALUES (\("in " + cove), \(cove), \(bob), 'ADMIN', \(now), \(hidden))
                        """)
                }
            }
            #expect(try await home.invite([Self.eves]).text.contains("1 invitation was sent."))
            let coves = try await database.read { tx in
                try tx.rows("SELECT cove FROM cove_invite").map { try $0.get("cove", as: String.self) }
            }
            #expect(Set(coves) == ["many-0", "many-1", home.cove])
            for person in [home.ada, home.bob] { _ = try await home.server.checkedUsage(of: person) }
        }
    }

    @Test("a number with 500 stored invitations gets no other, and useless ones are deleted", arguments: StoragePair.allCases)
    func keptOfNumber(_ pair: StoragePair) async throws {
        try await EventHome.run(pair) { home in
            let database = home.server.backend.database
            try await home.addCoves(inviting: Self.eves, count: InviteRules.maxKeptForPhone)
            #expect(try await home.invite([Self.eves, Self.free]).text.contains("too many open invitations"))
            let kept: Int = try await database.read { tx in
                try tx.row("SELECT COUNT(*) AS n FROM cove_invite WHERE phone = \(Self.eves)")!.get("n")
            }
            #expect(kept == InviteRules.maxKeptForPhone - InviteRules.replacedForPhones)
            #expect(try await home.invite([Self.eves]).text.contains("1 invitation was sent."))
        }
    }

    @Test(
        "inviting and cancelling again and again notifies the person ten times a day, friend requests included",
        arguments: StoragePair.allCases)
    func notices(_ pair: StoragePair) async throws {
        try await EventHome.run(pair) { home in
            let (server, ada, eve) = (home.server, home.ada, home.eve)
            try await server.setPhone(Self.eves, of: eve)
            _ = try await server.requestFriend(eve, as: ada)
            for number in 0..<NotifiedPeople.maxForPerson {
                let sent = try await home.invite([Self.eves]).decodeCoves(SentInvites.self).invites
                try #require(sent.count == 1)
                // Each invitation is in the list, also the one of which Eve is not notified.
                #expect(try await home.invites(of: eve).map(\.id) == sent.map(\.id), "\(number)")
                #expect(try await server.sendJSON("DELETE", "/cancel-invite", ["inviteId": sent[0].id], as: ada).status == 200)
            }
            #expect(try await home.received(eve, "cove.invited").count == NotifiedPeople.maxForPerson - 1)
            server.clock.advance(by: .days(1))
            #expect(try await home.invite([Self.eves], as: try await server.person()).text.contains("1 invitation was sent."))
            #expect(try await home.received(eve, "cove.invited").count == NotifiedPeople.maxForPerson)
        }
    }
}

extension EventHome {
    /// Inserts coves without members, each with an invitation that Bob sent to the number. Their ids are `many-0`, `many-1` and so on.
    func addCoves(inviting phone: String, count: Int) async throws {
        let (sender, now) = (bob.id, server.clock.now)
        let later = now + .days(90)
        try await server.backend.database.write { tx in
            var (coves, invites): (SQL, SQL) = ("", "")
            for number in 0..<count {
                let cove = "many-\(number)"
                let row: SQL = "(\(cove), 'x', 'y', \(now))"
                let invite: SQL = "(\("to " + cove), \(cove), \(phone), \(sender), 0, \(now), \(later), 0)"
                coves = number == 0 ? row : coves + ", " + row
                invites = number == 0 ? invite : invites + ", " + invite
            }
            let coveHead: SQL = "INSERT INTO cove (id, name, location, created_at) VALUES "
            try tx.run(coveHead + coves)
            let head: SQL = "INSERT INTO cove_invite (id, cove, phone, sender, is_opened, created_at, expires_at, row_bytes) VALUES "
            try tx.run(head + invites)
        }
    }

    /// Inserts invitations to the cove, at most 1,999 for each sender, and makes their senders ADMINs of the cove.
    /// - Returns: the accounts of the senders.
    @discardableResult
    func addInvites(_ count: Int) async throws -> [String] {
        let (cove, now) = (cove, server.clock.now)
        let later = now + .days(90)
        let senders = (0...count / 1_999).map { Self.member($0) }
        try await addMembers(0..<senders.count)
        try await server.backend.database.write { tx in
            for sender in senders { try tx.run("UPDATE cove_member SET role = 'ADMIN' WHERE cove = \(cove) AND account = \(sender)") }
            // Each statement inserts at most 500 invitations.
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
