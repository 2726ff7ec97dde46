import Core
import Database
import FeatureKit
import Foundation
import KeepsakeWire
import TestKit
import Testing

@testable import FeatureTestKit
@testable import People
@testable import keepsake

@Suite("Finding people by their phone numbers")
struct ContactTests {
    @Test("numbers as people write them find the registered ones, in the order of the request", arguments: Engine.allCases)
    func client(_ engine: Engine) async throws {
        try await TestServer.runWithFirebase(engine) { server, standIn async throws in
            let ada = try server.firebasePerson("ada-uid", phone: "+14155550100", standIn)
            let bob = try server.firebasePerson("bob-uid", phone: "+14155550123", standIn)
            let cleo = try server.firebasePerson("cleo-uid", phone: "+442079460958", standIn)
            for (name, person) in [("Ada", ada), ("Bob", bob), ("Cleo", cleo)] { try await server.onboard(name, as: person) }
            let picture = try await server.addPhoto("palette.png", isProfilePic: true, as: bob).decode(PhotoResponse.self).photo.url
            let answer = try await server.sendNumbers(
                ["+44 20 7946 0958", "Mum", "(415) 555-0123", "+1 415 555 0123", "415.555.0177", "", "+14155550100"], as: ada)
            let expected = """
                {"contacts":[{"id":"cleo-uid","name":"Cleo","phone":"+44 20 7946 0958","profilePhotoUrl":null},
                {"id":"bob-uid","name":"Bob","phone":"(415) 555-0123","profilePhotoUrl":"\(picture)"}],
                "pagination":{"hasMore":false,"nextCursor":null}}
                """
            #expect(answer.status == 200)
            #expect(
                try answer.decode(JSONValue.self) == JSONDecoder().decode(JSONValue.self, from: Data(expected.utf8)), "\(answer.text)")
            // A number without a country code is read as a number of the caller's own country.
            let british = try await server.sendNumbers(["020 7946 0958", "(415) 555-0123"], as: cleo).contacts()
            #expect(british == [])
            let second = try server.firebasePerson("dora-uid", phone: "+442079460123", standIn)
            let local = try await server.sendNumbers(["020 7946 0958"], as: second).contacts()
            #expect(local.map(\.id) == ["cleo-uid"])
            // A caller without a proved number finds only numbers with a country code.
            let nobody = try server.firebasePerson("eve-uid", standIn)
            let some = try await server.sendNumbers(["020 7946 0958", "+442079460958"], as: nobody).contacts()
            #expect(some.map(\.phone) == ["+442079460958"])
        }
    }

    @Test("people with a block in either direction, hidden accounts and unproved numbers are not found", arguments: Engine.allCases)
    func visibility(_ engine: Engine) async throws {
        try await TestServer.run(engine) { server in
            let ada = try await server.person()
            var people: [TestServer.Person] = []
            for (index, name) in ["open", "blocked", "blocker", "hidden", "unproved", "closed"].enumerated() {
                let person = try await server.person(name)
                if name != "unproved" { try await server.setPhone(ContactNumber.text(index), of: person) }
                people.append(person)
            }
            let numbers = (0..<6).map(ContactNumber.text)
            func seen() async throws -> [String] { try await server.sendNumbers(numbers, as: ada).contacts().map(\.id) }
            #expect(try await seen() == [0, 1, 2, 3, 5].map { people[$0].id })
            try await server.block(people[1], by: ada)
            try await server.block(ada, by: people[2])
            try await server.hide(people[3])
            let closed = people[5].id
            try await server.backend.database.write { tx in
                try tx.run("UPDATE account SET closed_at = created_at WHERE id = \(closed)")
            }
            // Control: the first call found each of the people who are missing now.
            #expect(try await seen() == [people[0].id])
            try await server.show(people[3])
            #expect(try await seen() == [people[0].id, people[3].id])
        }
    }

    @Test("people of an earlier release whose ids Unicode calls equivalent are told apart", arguments: Engine.allCases)
    func equivalent(_ engine: Engine) async throws {
        try await TestServer.run(engine) { server in
            let ada = try await server.person()
            // The letter K, and the sign for kelvin.
            let ids = ["K", "\u{212A}"]
            let now = server.clock.now
            try await server.backend.database.write { tx in
                for (index, id) in ids.enumerated() {
                    try tx.run(
                        """
                        INSERT INTO account (id, created_at, phone, phone_proved_at)
                        VALUES (\(id), \(now), \(ContactNumber.text(index)), \(now))
                        """)
                }
            }
            let found = try await server.sendNumbers((0..<2).map(ContactNumber.text), as: ada).contacts()
            #expect(found.map { Array($0.id.utf8) } == ids.map { Array($0.utf8) })
        }
    }

    @Test("more than 1,000 numbers and values of another type are 400; no credential is 401", arguments: Engine.allCases)
    func refused(_ engine: Engine) async throws {
        try await TestServer.run(engine) { server in
            let ada = try await server.person()
            #expect(try await server.sendNumbers((0..<1_000).map(ContactNumber.text), as: ada).status == 200)
            let tooMany = try await server.sendNumbers((0..<1_001).map(ContactNumber.text), as: ada)
            #expect(tooMany.status == 400 && tooMany.text.contains("phoneNumbers"), "\(tooMany.text)")
            for body in [
                [:], ["phoneNumbers": "+4915110000000"], ["phoneNumbers": [1]], ["phoneNumbers": NSNull()],
                ["phoneNumbers": ["+49\u{0}151"]], ["phoneNumbers": [String(repeating: "1", count: 257)]],
            ] as [[String: any Sendable]] {
                let answer = try await server.sendJSON("POST", "/contacts", body, as: ada)
                #expect(answer.status == 400 && answer.text.contains("phoneNumbers"), "\(answer.text)")
            }
            let none = #"{"contacts":[],"pagination":{"hasMore":false,"nextCursor":null}}"#
            let empty = try await server.sendNumbers([], as: ada).decode(JSONValue.self)
            #expect(try empty == JSONDecoder().decode(JSONValue.self, from: Data(none.utf8)))
            #expect(try await server.send("POST", "/contacts", body: Data("{}".utf8)).status == 401)
            #expect(try await server.send("GET", "/contacts", as: ada).status == 405)
        }
    }

    @Test("a crawl of 20,000 numbers with a quota of 400 learns 4 of the 200 registered ones", arguments: Engine.allCases)
    func crawl(_ engine: Engine) async throws {
        try await TestServer.run(engine) {
            $0.features[Contacts.dailyNumbers] = 400
        } _: { server in
            try await server.registerNumbers(everyHundredthOf: 20_000)
            let eve = try await server.person("eve")
            let learned = try await server.crawlContacts(20_000, by: 100, as: eve)
            #expect(learned.found.count == 4 && learned.refused == 196, "\(learned)")
            // Numbers that were looked up before are free, also in other calls and another order. One new number is too many.
            let again = try await server.sendNumbers([0, 399, 100, 300, 0].map(ContactNumber.text), as: eve).contacts()
            #expect(again.map(\.id) == ["owner-0", "owner-100", "owner-300"])
            let refused = try await server.sendNumbers([0, 400].map(ContactNumber.text), as: eve)
            #expect(refused.status == 429)
            #expect(try Set(refused.json().keys) == ["message"])
            // It is noon, so the next day begins in 12 hours.
            #expect(refused.header("Retry-After") == "43200")
            // Each account has its own quota.
            let ada = try await server.person()
            #expect(try await server.sendNumbers([400].map(ContactNumber.text), as: ada).contacts().map(\.id) == ["owner-400"])
            server.clock.advance(by: .hours(12))
            let tomorrow = try await server.person("eve")
            #expect(try await server.sendNumbers([400].map(ContactNumber.text), as: tomorrow).contacts().map(\.id) == ["owner-400"])
            let next = try await server.crawlContacts(1_000, by: 100, as: tomorrow)
            // Number 400 and the first three calls use up 301 numbers. The fourth call has 100 new numbers, one too many. The fifth has
            // only 99.
            #expect(next.found.count == 4 && next.refused == 6, "\(next)")
        }
    }

    @Test(
        "an address book of 2,000 numbers is answered in full each day, and the quota is what stops the crawl", arguments: Engine.allCases)
    func addressBook(_ engine: Engine) async throws {
        try await TestServer.run(engine) { server in
            try await server.registerNumbers(everyHundredthOf: 20_000)
            for _ in 0..<3 {
                let ada = try await server.person()
                for _ in 0..<2 {
                    let book = try await server.crawlContacts(2_000, by: 1_000, as: ada)
                    #expect(book.found.count == 20 && book.refused == 0)
                }
                server.clock.advance(by: .days(1))
            }
            // Control: with the default quota of 20,000, the crawl of the test above finds all registered numbers.
            let eve = try await server.person("eve")
            let learned = try await server.crawlContacts(20_000, by: 1_000, as: eve)
            #expect(learned.found.count == 200 && learned.refused == 0)
            #expect(try await server.sendNumbers([20_000].map(ContactNumber.text), as: eve).status == 429)
        }
    }

    @Test("different texts that are not numbers count against the quota, too", arguments: Engine.allCases)
    func otherTexts(_ engine: Engine) async throws {
        try await TestServer.run(engine) {
            $0.features[Contacts.dailyNumbers] = 400
        } _: { server in
            let eve = try await server.person("eve")
            let texts = (0..<300).map { "001" + String(repeating: ".1", count: 50) + "\($0)" }
            #expect(try await server.sendNumbers(texts, as: eve).status == 200)
            // The same texts, and blank ones, are free.
            #expect(try await server.sendNumbers(texts.reversed() + ["", " "], as: eve).status == 200)
            #expect(try await server.sendNumbers((0..<101).map { "Mum \($0)" }, as: eve).status == 429)
            #expect(try await server.sendNumbers((0..<100).map { "Mum \($0)" }, as: eve).status == 200)
            #expect(try await server.sendNumbers([ContactNumber.text(0)], as: eve).status == 429)
        }
    }

    @Test("of concurrent calls as many succeed as the quota allows", arguments: Engine.allCases)
    func race(_ engine: Engine) async throws {
        try await TestServer.run(engine) {
            $0.features[Contacts.dailyNumbers] = 400
        } _: { server in
            let ada = try await server.person()
            let statuses = try await withThrowingTaskGroup(of: Int.self) { group in
                for number in 0..<8 {
                    group.addTask {
                        try await server.sendNumbers((number * 100..<number * 100 + 100).map(ContactNumber.text), as: ada).status
                    }
                }
                return try await group.reduce(into: [Int: Int]()) { $0[$1, default: 0] += 1 }
            }
            #expect(statuses == [200: 4, 429: 4])
        }
    }

    @Test("looked-up numbers are kept as hashes, for their day only", arguments: Engine.allCases)
    func storage(_ engine: Engine) async throws {
        try await TestServer.run(engine) { server in
            let (ada, bob) = (try await server.person(), try await server.person("bob"))
            let numbers = (0..<50).map(ContactNumber.text)
            for person in [ada, bob] { #expect(try await server.sendNumbers(numbers, as: person).status == 200) }
            func kept() async throws -> [[UInt8]] {
                try await server.backend.database.read { tx in
                    try tx.rows("SELECT numbers FROM contact_lookup").map { try $0.get("numbers", as: [UInt8].self) }
                }
            }
            let today = try await kept()
            // Two accounts' hashes of the same numbers have nothing in common.
            #expect(today.map(\.count) == [400, 400])
            #expect(Set(today.flatMap { NumberHashes(bytes: $0).hashes }).count == 100)
            #expect(try await server.tables(holding: String(ContactNumber.text(7).dropFirst()), engine) == [])
            // An account's look-ups of a new day replace its old ones. The sweep deletes the old look-ups of other accounts.
            server.clock.advance(by: .days(1))
            let later = try await server.person()
            #expect(try await server.sendNumbers(Array(numbers.prefix(3)), as: later).status == 200)
            #expect(try await kept().map(\.count).sorted() == [24, 400])
            try await server.backend.features[PeopleFeature.self].contacts.store.sweep()
            let swept = try await kept()
            #expect(swept.map(\.count) == [24])
            #expect(NumberHashes(bytes: swept[0]).bytes == swept[0])
        }
    }
}
