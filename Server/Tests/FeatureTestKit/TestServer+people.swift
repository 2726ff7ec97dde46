import Core
import Database
import FeatureKit
import Foundation
import TestKit
import Testing

@testable import keepsake

/// Requests for the tests of people and coves. Like the published client of surface 1, they send a Firebase token with every request.
extension TestServer {
    /// Runs `test` against a fresh server that accepts the tokens of `standIn`.
    static func runWithFirebase(
        _ pair: StoragePair, _ change: @escaping @Sendable (inout Settings) -> Void = { _ in },
        _ test: @Sendable (TestServer, IssuerStandIn) async throws -> Void
    ) async throws {
        try await IssuerStandIn.run { standIn async throws in
            try await TestServer.run(pair) {
                $0.identities = IdentityForge.settings(standIn)
                change(&$0)
            } _: { server in
                try await test(server, standIn)
            }
        }
    }

    /// Does the same for tests that store no file.
    static func runWithFirebase(
        _ engine: Engine, _ change: @escaping @Sendable (inout Settings) -> Void = { _ in },
        _ test: @Sendable (TestServer, IssuerStandIn) async throws -> Void
    ) async throws {
        try await runWithFirebase(StoragePair(engine), change, test)
    }

    /// A person who signs in with a Firebase token. The first request creates the account, whose id is `uid`.
    /// - Parameter phone: in E.164 format; `nil` for a token without `phone_number`.
    func firebasePerson(_ uid: String, phone: String? = nil, _ standIn: IssuerStandIn) throws -> Person {
        let forge = IdentityForge(.firebase, standIn, clock, subject: uid)
        forge.claims["firebase"] = ["identities": ["phone": [phone ?? ""]], "sign_in_provider": "phone"]
        if let phone { forge.claims["phone_number"] = phone }
        return Person(id: uid, token: try forge.sign())
    }

    /// Sends a JSON object, with any method.
    func sendJSON(_ method: String, _ path: String, _ object: [String: Any], as person: Person?, key: String? = nil) async throws -> Answer
    {
        try await send(
            method, path, as: person,
            headers: [("Content-Type", "application/json")] + (key.map { [("Idempotency-Key", $0)] } ?? []),
            body: try JSONSerialization.data(withJSONObject: object, options: .sortedKeys))
    }

    /// Gives an account a verified phone number, as a token with a verified number does.
    func setPhone(_ phone: String?, of person: Person) async throws {
        let proved: Timestamp? = phone == nil ? nil : clock.now
        try await backend.database.write { tx in
            try tx.run("UPDATE account SET phone = \(phone), phone_proved_at = \(proved) WHERE id = \(person.id)")
        }
    }

    /// Creates the person's profile with this name.
    func onboard(_ name: String, as person: Person) async throws {
        let answer = try await sendJSON("POST", "/onboard", ["name": name], as: person)
        #expect(answer.status == 200, "\(answer.text)")
    }

    /// Adds a photo to the person's profile.
    /// - Parameters:
    ///   - fixture: the name of a picture.
    ///   - member: the name of the member that contains the picture.
    func addPhoto(
        _ fixture: String, isProfilePic: Bool? = nil, member: String = "base64Image", as person: Person, key: String? = nil
    ) async throws -> Answer {
        var object: [String: Any] = [member: try Fixture.data(fixture).base64EncodedString()]
        if let isProfilePic { object["isProfilePic"] = isProfilePic }
        return try await sendJSON("POST", "/userImage", object, as: person, key: key)
    }

    func replacePhoto(_ id: String, _ fixture: String, as person: Person, key: String? = nil) async throws -> Answer {
        let object = ["photoId": id, "data": try Fixture.data(fixture).base64EncodedString()]
        return try await sendJSON("POST", "/userImageUpdate", object, as: person, key: key)
    }

    /// The profile of a person as the caller sees it; by default the caller's own profile.
    func profile(of other: Person? = nil, as person: Person) async throws -> Answer {
        try await send("GET", "/profile" + (other.map { "?userId=\($0.id)" } ?? ""), as: person)
    }

    /// Makes two people friends: one sends a request, the other accepts it.
    func befriend(_ one: Person, _ other: Person) async throws {
        let request = try await requestFriend(other, as: one)
        let accepted = try await sendJSON("POST", "/friend-request/resolve", ["requestId": request, "accept": true], as: other)
        #expect(accepted.status == 200, "\(accepted.text)")
    }

    /// Sends a friend request.
    /// - Returns: the id of the request.
    func requestFriend(_ recipient: Person, as sender: Person) async throws -> String {
        let answer = try await sendJSON("POST", "/send-friend-request", ["recipientId": recipient.id], as: sender)
        let request = try answer.json()["request"] as? [String: Any]
        return try #require(request?["id"] as? String, "\(answer.text)")
    }

    /// Inserts a block, but does not end friendships and the like between the two people.
    func block(_ blocked: Person, by blocker: Person) async throws {
        let now = clock.now
        try await backend.database.write { tx in
            try tx.run(
                """
                INSERT INTO block (id, blocker, blocked, created_at)
                VALUES (\(blocker.id + " blocks " + blocked.id), \(blocker.id), \(blocked.id), \(now))
                """)
        }
    }

    /// Inserts a cove with these members. The first one is its creator.
    func insertCove(_ id: String, members: [Person]) async throws {
        let now = clock.now
        try await backend.database.write { tx in
            try tx.run(
                """
                INSERT INTO cove (id, creator, name, location, member_count, created_at)
                VALUES (\(id), \(members[0].id), \(id), 'here', \(members.count), \(now))
                """)
            for (index, member) in members.enumerated() {
                try tx.run(
                    """
                    INSERT INTO cove_member (id, cove, account, role, joined_at)
                    VALUES (\(id + "/" + member.id), \(id), \(member.id), \(index == 0 ? "ADMIN" : "MEMBER"), \(now))
                    """)
            }
        }
    }

    /// Hides an account from everybody else, as closing or suspending it does, but does not change the account's row.
    func hide(_ person: Person) async throws {
        let features = backend.features
        try await backend.database.write { tx in
            for feature in features.all { try feature.hide(person.id, .suspended, tx) }
        }
    }

    func show(_ person: Person) async throws {
        let features = backend.features
        try await backend.database.write { tx in
            for feature in features.all { try feature.show(person.id, tx) }
        }
    }
}
