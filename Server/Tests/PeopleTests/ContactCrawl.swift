import Database
import KeepsakeWire
import TestKit
import Testing

@testable import FeatureTestKit
@testable import People
@testable import keepsake

enum ContactNumber {
    /// A German mobile number in E.164.
    static func text(_ index: Int) -> String { "+49151\(10_000_000 + index)" }
}

extension TestServer.Answer {
    /// The people that `POST /contacts` found.
    func contacts() throws -> [PhoneContact] {
        #expect(status == 200, "\(text)")
        return try decode(ContactsResponse.self).contacts
    }
}

extension TestServer {
    func sendNumbers(_ numbers: [String], as person: Person) async throws -> Answer {
        try await sendJSON("POST", "/contacts", ["phoneNumbers": numbers], as: person)
    }

    /// Registers the owner of every hundredth of `count` numbers, directly in the database.
    func registerNumbers(everyHundredthOf count: Int) async throws {
        let now = clock.now
        try await backend.database.write { tx in
            for index in stride(from: 0, to: count, by: 100) {
                let id = "owner-\(index)"
                try tx.run(
                    """
                    INSERT INTO account (id, created_at, phone, phone_proved_at) VALUES (\(id), \(now), \(ContactNumber.text(index)), \(now))
                    """)
                try tx.run("INSERT INTO profile (account, name, created_at) VALUES (\(id), \("Owner \(index)"), \(now))")
            }
        }
    }

    /// Sends numbers 0..<count in calls of `size` numbers.
    /// - Returns: the ids of the people found, and how many calls were refused.
    func crawlContacts(_ count: Int, by size: Int, as person: Person) async throws -> (found: Set<String>, refused: Int) {
        var (ids, refused): (Set<String>, Int) = ([], 0)
        for start in stride(from: 0, to: count, by: size) {
            let answer = try await sendNumbers((start..<start + size).map(ContactNumber.text), as: person)
            if answer.status == 200 {
                ids.formUnion(try answer.contacts().map(\.id))
            } else {
                #expect(answer.status == 429)
                refused += 1
            }
        }
        return (ids, refused)
    }
}
