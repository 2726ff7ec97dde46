import AccountData
import Accounts
import Blobs
import Core
import Crypto
import Database
import FeatureKit
import Foundation
import KeepsakeWire
import Media
import TestKit
import Testing

@testable import FeatureTestKit
@testable import keepsake

@Suite("Deleting an account")
struct DeleteAccountTests {
    @Test("a smaller copy that was sent and not stored yet is not stored any more", arguments: StoragePair.allCases)
    func freshCopy(_ pair: StoragePair) async throws {
        try await TestServer.run(pair, { $0.features[AccountDataFeature.scrubHours] = 0 }) { server in
            let ada = try await server.person()
            let upload = try await server.upload(.file("photo.jpg", try Fixture.data("photo.jpg")), as: ada)
            let file = try upload.decode(UploadResponse.self).files[0].data
            await server.holdCopies()
            #expect(try await server.send("GET", "\(file.url)&w=64").status == 200)
            #expect(try await server.send("POST", "/auth/delete", as: ada).status == 200)
            #expect(try await server.send("GET", "\(file.url)&w=64").status == 404)
            try await server.waitUntilErased(ada.id)
            try await server.storeCopies()
            #expect(try await server.storedCopyCount() == 0)
            try await eventually { try await server.storedFileCount() == 0 }
            #expect(try await server.backend.audit.run().problems == [])
        }
    }

    @Test(
        "once the deletion is answered, every credential is refused and none of the account's data is left", arguments: StoragePair.allCases
    )
    func whole(_ pair: StoragePair) async throws {
        let canary = "canary" + Hex.encode(Entropy.system.bytes(8))
        try await TestServer.run(pair, { $0.features[AccountDataFeature.scrubHours] = 0 }) { server in
            let ada = try await server.full("ada", words: canary)
            let eve = try await server.full("eve", words: "other")
            let before = try await server.everything(of: eve.person)
            // Both accounts store the same photo: each has its own copy of the bytes.
            let fileCount = try await server.storedFileCount()
            let cookie = try #require(try await server.send("POST", "/auth/session", as: ada.person).json()["cookie"] as? String)

            // Control: before the deletion, the account's data is found in all of these tables.
            let tables = try await server.tables(holding: canary, pair)
            #expect(
                tables.isSuperset(of: [
                    "account", "moment", "moment_tag", "media", "search_document", "profile", "chat_conversation", "chat_message",
                    "chat_file",
                ]))
            let counts = try await server.rowCounts(of: ada.person.id)
            #expect(counts.count >= 16 && counts["chat_message"] == 2 && counts["chat_file"] == 1 && counts["chat_message_file"] == 1)
            let chatBytes = try #require(try await server.backend.media.library.blob(ada.chatFile.fileId, owner: ada.person.id))
            _ = try await server.backend.blobs.open(chatBytes)
            if pair == .embedded { #expect(try server.files(holding: canary).count >= 2) }

            let answer = try await server.send("POST", "/auth/delete", as: ada.person)
            #expect(answer.status == 200, "\(answer.text)")
            let json = try answer.json()
            #expect(Set(json.keys) == ["account_id", "deleted_at", "receipt"] && json["account_id"] as? String == ada.person.id)
            #expect((json["deleted_at"] as? String)?.wholeMatch(of: /\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{6}Z/) != nil)

            // Credentials are refused at once, before the data is erased.
            #expect(try await server.send("GET", "/user/me", as: ada.person).status == 401)
            #expect(try await server.send("GET", "/user/me", headers: [("Cookie", cookie)]).status == 401)
            #expect(try await server.refresh(ada.refreshToken).status == 401)
            #expect(try await server.logIn("ada").status == 401)
            #expect(try await server.send("POST", "/auth/delete", as: ada.person).status == 401)
            #expect(try await server.send("GET", ada.link).status == 404)

            try await server.waitUntilErased(ada.person.id)
            #expect(try await server.rowCounts(of: ada.person.id) == [:])
            #expect(try await server.tables(holding: canary, pair) == [])
            #expect(try await server.storedFileCount() == fileCount / 2)
            await #expect(throws: (any Error).self) { _ = try await server.backend.blobs.open(chatBytes) }
            #expect(try await server.send("GET", ada.link).status == 404)
            if pair == .embedded { #expect(try server.files(holding: canary) == []) }

            #expect(try await server.everything(of: eve.person) == before)
            #expect(try await server.send("GET", eve.link).status == 200)
            let verify = try await server.backend.audit.run()
            #expect(verify.problems.isEmpty, "\(verify)")
            // The e-mail address is free again, and a new account with it starts empty.
            let again = try await server.signUp("ada", name: "Ada")
            #expect(again.person.id != ada.person.id)
        }
    }

    @Test("the database's files are scrubbed once, at the hour's end, for all accounts deleted within it, also after a restart")
    func scrubbedTogether() async throws {
        let canary = "canary" + Hex.encode(Entropy.system.bytes(8))
        let stores = try TestStores(.sqlite)
        let clock = TestClock()
        @Sendable func scrubs(_ server: TestServer) async throws -> Int {
            try await server.backend.database.read { tx in try tx.rows("SELECT key FROM job WHERE kind = 'accounts/scrub'").count }
        }
        try await TestServer.run(.sqlite, on: stores, clock: clock) { server in
            for name in ["ada", "eve"] {
                let person = try await server.person(name)
                for number in 0..<20 { _ = try await server.mood([("mood", "happy"), ("note", "\(canary) \(number)")], as: person) }
                #expect(try await server.send("POST", "/auth/delete", as: person).status == 200)
                try await server.waitUntilErased(person.id)
                server.clock.advance(by: .minutes(10))
            }
            #expect(try await scrubs(server) == 1)
            #expect(try await server.tables(holding: canary, .sqlite) == [])
            // Control: the log still contains the words.
            #expect(try !server.files(holding: canary).isEmpty)
        }
        try await TestServer.run(.sqlite, on: stores, clock: clock) { server in
            #expect(try await scrubs(server) == 1)
            server.clock.advance(by: .hours(1))
            try await server.wait { try await scrubs(server) == 0 }
            #expect(try server.files(holding: canary) == [])
        }
    }

    @Test(
        "the receipt is signed by a published key, names the account and the time of deletion, and does not work as a token",
        arguments: StoragePair.allCases)
    func receipt(_ pair: StoragePair) async throws {
        try await TestServer.run(pair) { server in
            let ada = try await server.person()
            let json = try await server.send("POST", "/auth/delete", as: ada).json()
            let receipt = try #require(json["receipt"] as? String)
            let parts = receipt.split(separator: ".").map(String.init)
            let decoded = try parts.map { Data(try #require(Base64URL.decode($0))) }
            let header = try #require(JSONSerialization.jsonObject(with: decoded[0]) as? [String: String])
            let claims = try #require(JSONSerialization.jsonObject(with: decoded[1]) as? [String: Any])
            #expect(header["alg"] == "ES256" && header["typ"] == "keepsake-receipt+jwt")
            #expect(claims["sub"] as? String == ada.id && claims["event"] as? String == "account.deleted")
            #expect(claims["deleted_at"] as? String == json["deleted_at"] as? String)
            #expect(claims["exp"] == nil && claims["aud"] == nil && claims["sid"] == nil)

            let keys = try await server.send("GET", "/.well-known/jwks.json").decode(KeySet.self)
            let key = try #require(keys.keys.first { $0.kid == header["kid"] })
            let point = [4] + (Base64URL.decode(key.x) ?? []) + (Base64URL.decode(key.y) ?? [])
            let publicKey = try P256.Signing.PublicKey(x963Representation: Data(point))
            let signature = try P256.Signing.ECDSASignature(rawRepresentation: decoded[2])
            let isGenuine = publicKey.isValidSignature(signature, for: Data("\(parts[0]).\(parts[1])".utf8))
            let isForged = publicKey.isValidSignature(signature, for: Data("\(parts[0]).\(parts[1])x".utf8))
            #expect(isGenuine && !isForged)
            #expect(try await server.send("GET", "/user/me", headers: [("Authorization", "Bearer \(receipt)")]).status == 401)
        }
    }

    @Test("rows that a request in flight wrote after the deletion are erased two hours later", arguments: StoragePair.allCases)
    func late(_ pair: StoragePair) async throws {
        try await TestServer.run(pair) { server in
            let ada = try await server.person()
            let eve = try await server.person("eve")
            #expect(try await server.send("POST", "/auth/delete", as: ada).status == 200)
            try await server.waitUntilErased(ada.id)
            for id in [ada.id, eve.id] {
                try await server.backend.database.write { tx in
                    try tx.run("INSERT INTO event_head (account, seq, at) VALUES (\(id), 1, 0)")
                    try tx.run("INSERT INTO event (account, seq, at, kind, payload) VALUES (\(id), 1, 0, 'late', '{}')")
                }
            }
            #expect(try await server.rowCounts(of: ada.id) == ["event": 1, "event_head": 1])
            let eves = try await server.rowCounts(of: eve.id)
            server.clock.advance(by: .hours(3))
            try await server.wait { try await server.eraseJobs().isEmpty }
            #expect(try await server.rowCounts(of: ada.id) == [:])
            #expect(try await server.rowCounts(of: eve.id) == eves)
        }
    }

    @Test("a new account with the same id keeps its data", arguments: StoragePair.allCases)
    func returned(_ pair: StoragePair) async throws {
        try await TestServer.run(pair, { $0.allowsAnonymous = true }) { server in
            let ada = TestServer.Person(id: "ada", token: "")
            func keep() async throws -> TestServer.Answer {
                var body = MultipartBody()
                body.add("mood", "happy")
                body.close()
                return try await server.send(
                    "POST", server.moments(ada, "moods/swift"), headers: [("Content-Type", body.contentType)], body: body.data)
            }
            #expect(try await keep().status == 200)
            let isClosed = try await server.backend.accounts.close("ada", at: server.clock.now, hiding: { _ in }, also: { _ in })
            #expect(isClosed)
            // Until the old account is erased, no caller can use its id.
            #expect(try await keep().status == 401)
            try await server.backend.database.write { tx in try tx.run("DELETE FROM account WHERE id = 'ada'") }
            #expect(try await keep().status == 200)
            let rows = try await server.rowCounts(of: "ada")
            let job = #"{"account":"ada","isSecond":true}"#
            try await server.backend.database.write { tx in
                try tx.run(
                    """
                    INSERT INTO job (id, kind, key, payload, state, attempt, tries, lost, run_at, created_at)
                    VALUES ('j', 'accounts/erase', 'ada again', \(job), 'ready', 0, 0, 0, 0, 0)
                    """)
            }
            try await server.wait { try await server.eraseJobs().isEmpty }
            #expect(rows["moment"] == 1)
            #expect(try await server.rowCounts(of: "ada") == rows)
        }
    }

    @Test("an account whose id was used before is erased, even while a job of the earlier account runs", arguments: Engine.allCases)
    func closedAgain(_ engine: Engine) async throws {
        try await TestServer.run(engine) { server in
            let ada = try await server.person()
            // Another node is still running these jobs of the earlier account.
            try await server.backend.database.write { tx in
                let lease = server.clock.now + .hours(1)
                for (id, kind, payload) in [
                    ("j1", "accounts/erase", #"{"account":"\#(ada.id)","isSecond":false}"#),
                    ("j2", "accounts/revoke", #"{"account":"\#(ada.id)"}"#),
                ] {
                    try tx.run(
                        """
                        INSERT INTO job (id, kind, key, payload, state, attempt, tries, lost, run_at, lease_until, worker, created_at)
                        VALUES (\(id), \(kind), \(ada.id), \(payload), 'running', 1, 1, 0, 0, \(lease), 'other', 0)
                        """)
                }
            }
            #expect(try await server.send("POST", "/auth/delete", as: ada).status == 200)
            try await server.wait { try await server.eraseJobs().contains { $0.hasPrefix(ada.id + " again ") } }
            #expect(try await server.rowCounts(of: ada.id) == [:])
        }
    }

    @Test("the erasure leaves the unused bytes of an account that is open again to the garbage collector", arguments: Engine.allCases)
    func openAgain(_ engine: Engine) async throws {
        try await TestServer.run(StoragePair(engine)) { server in
            let ada = try await server.person()
            let upload = try await server.upload(.file("photo.jpg", try Fixture.data("photo.jpg")), as: ada)
            let file = try upload.decode(UploadResponse.self).files[0].data
            #expect(try await server.send("DELETE", server.moments(ada, "multimedia/\(file.fileId)"), as: ada).status == 200)
            func dead() async throws -> Int {
                try await server.backend.database.read { tx in
                    try tx.rows("SELECT key FROM blob WHERE owner = \(ada.id) AND state = 'dead'").count
                }
            }
            let count = try await dead()
            #expect(count > 0)
            // A job of an earlier account with this id.
            let job = #"{"account":"\#(ada.id)","isSecond":true}"#
            try await server.backend.database.write { tx in
                try tx.run(
                    """
                    INSERT INTO job (id, kind, key, payload, state, attempt, tries, lost, run_at, created_at)
                    VALUES ('j', 'accounts/erase', 'earlier', \(job), 'ready', 0, 0, 0, 0, 0)
                    """)
            }
            try await server.wait { try await server.eraseJobs().isEmpty }
            #expect(try await dead() == count)
        }
    }
}
