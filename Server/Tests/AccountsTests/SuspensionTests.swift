import Core
import Database
import Foundation
import Jobs
import KeepsakeWire
import Live
import Media
import TestKit
import TestThreads
import Testing
import Web

@testable import Accounts
@testable import FeatureTestKit
@testable import keepsake

@Suite("Suspending an account", .blocksThreads)
struct SuspensionTests {
    /// All credentials and links of a person who registered with a password.
    private struct Credentials {
        let person: TestServer.Person
        let refreshToken: String
        let cookie: String
        let resetCode: String
        /// Signed links to a picture, for its owner and for others.
        let links: [String]
        /// A signed link that accepts a recording.
        let uploadLink: String

        init(of name: String, _ server: TestServer) async throws {
            (person, refreshToken) = try await server.signUp(name, name: name)
            cookie = try #require(try await server.send("POST", "/auth/session", as: person).json()["cookie"] as? String)
            resetCode = try await server.backend.accounts.issueReset(email: "\(name)@example.org", lifetime: .hours(1)).code
            let photo = MultipartBody.file("a.jpg", try Fixture.data("baseline.jpg"))
            let file = try await server.upload(photo, as: person).decode(UploadResponse.self).files[0].data
            links = [file.url, server.backend.media.library.sharedLink(file.fileId, owner: person.id)]
            uploadLink = try #require(try await server.makeCapsule(10_000, as: person).uploadURL)
        }
    }

    private func expectSuspended(_ answer: TestServer.Answer, _ name: String) throws {
        #expect(answer.status == 403, "\(name) \(answer.text)")
        let body = try answer.json()
        #expect(Set(body.keys) == ["error", "message"] && body["error"] as? String == "suspended", "\(name) \(answer.text)")
        #expect(answer.header("WWW-Authenticate") == nil, "\(name)")
    }

    private func socketStatus(_ server: TestServer, _ query: String = "", _ headers: [(String, String)] = []) throws -> Int {
        let connection = try RawConnection(port: server.port)
        try connection.send(WebSocketClient.request("/ws/events\(query)", headers))
        return try connection.answer().status
    }

    @Test("every credential gets 403 and `suspended`, its links 404, and all of it works again afterwards", arguments: StoragePair.allCases)
    func credentials(_ pair: StoragePair) async throws {
        try await TestServer.run(pair) { server in
            let ada = try await Credentials(of: "ada", server)
            let eve = try await server.person("eve")
            let json = [("Content-Type", "application/json")]
            let newPassword = Data(#"{"token":"\#(ada.resetCode)","password":"another horse"}"#.utf8)
            try await server.suspend(ada.person.id)

            try expectSuspended(try await server.send("GET", "/user/me", as: ada.person), "access token")
            try expectSuspended(try await server.send("GET", "/user/me", headers: [("Cookie", ada.cookie)]), "cookie")
            try expectSuspended(try await server.refresh(ada.refreshToken), "refresh token")
            try expectSuspended(try await server.logIn("ada"), "password")
            try expectSuspended(
                try await server.send("POST", "/auth/password/reset", headers: json, body: newPassword), "reset code")
            try expectSuspended(try await server.send("GET", "/events?wait=0", as: ada.person), "long poll")
            try expectSuspended(try await server.send("POST", "/auth/delete", as: ada.person), "deletion")
            #expect(try socketStatus(server, "", [ada.person.bearer]) == 403)
            #expect(try socketStatus(server, "?access_token=\(ada.person.token)") == 403)
            await #expect(throws: Problem.suspended) {
                _ = try await server.backend.accounts.issueToken(email: "ada@example.org", isAdmin: true)
            }
            // At the sign-in, only the right password gets the response `suspended`.
            let wrong = Data(#"{"email":"ada@example.org","password":"wrong horse"}"#.utf8)
            #expect(try await server.send("POST", "/auth/password/login", headers: json, body: wrong).status == 401)

            for link in ada.links {
                #expect(try await server.send("GET", link).status == 404, "\(link)")
                #expect(try await server.send("HEAD", link).status == 404, "\(link)")
            }
            #expect(try await server.putAudio(Data(count: 10_000), ada.uploadLink).status == 404)

            // Nobody else is affected, and nothing was deleted.
            #expect(try await server.send("GET", "/user/me", as: eve).status == 200)
            try await server.restore(ada.person.id)
            #expect(try await server.send("GET", "/user/me", as: ada.person).status == 200)
            #expect(try await server.send("GET", "/user/me", headers: [("Cookie", ada.cookie)]).status == 200)
            let refreshed = try await server.refresh(ada.refreshToken)
            #expect(refreshed.status == 200, "\(refreshed.text)")
            #expect(try await server.logIn("ada").status == 200)
            for link in ada.links { #expect(try await server.send("GET", link).status == 200, "\(link)") }
            #expect(try socketStatus(server, "", [ada.person.bearer]) == 101)
            // The server accepts the link again, so the status is not 404. The uploaded bytes are not a recording.
            #expect(try await server.putAudio(Data(count: 10_000), ada.uploadLink).status != 404)
            let reset = try await server.send("POST", "/auth/password/reset", headers: json, body: newPassword)
            #expect(reset.status == 200, "\(reset.text)")
        }
    }

    @Test("each surface refuses in its own form", arguments: StoragePair.allCases)
    func surfaces(_ pair: StoragePair) async throws {
        try await TestServer.run(pair) { server in
            let ada = try await server.person()
            try await server.suspend(ada.id)
            let text = "This account is suspended. Contact the operator of this server."
            let multimedia = try await server.send("GET", "/api/users/user/\(ada.id)/multimedia", as: ada)
            #expect(multimedia.status == 403)
            #expect(try multimedia.decode(MultimediaErrorBody.self) == MultimediaErrorBody(error: "Forbidden", details: text, code: 403))
            #expect(try Set(multimedia.json().keys) == ["error", "details", "code"])
            let coves = try await server.sendJSON("POST", "/report", ["kind": "user", "id": "x", "reason": "y"], as: ada)
            #expect(coves.status == 403)
            #expect(try coves.json() as? [String: String] == ["message": text])
            let capsules = try await server.send("GET", "/v0/capsules", as: ada)
            #expect(capsules.status == 403)
            #expect(try capsules.json() as? [String: String] == ["error": "suspended", "message": text])
        }
    }

    @Test("an identity token is refused as a bearer and at sign-in, and creates no second account", arguments: StoragePair.allCases)
    func identities(_ pair: StoragePair) async throws {
        try await TestServer.runWithFirebase(pair) { server, standIn in
            for endpoint in TokenEndpoint.allCases {
                let token = try IdentityForge(endpoint.issuer, standIn, server.clock, subject: "\(endpoint)").sign()
                #expect(try await send(endpoint, server, standIn, token).status == 200, "\(endpoint)")
                let count = try await server.accounts()
                let subject = "\(endpoint)"
                let account: String = try await server.backend.database.read { tx in
                    try #require(try tx.row("SELECT account FROM identity WHERE subject = \(subject)")).get("account")
                }
                try await server.suspend(account)
                let refused = try await send(endpoint, server, standIn, token)
                #expect(refused.status == 403 && refused.text.contains("suspended"), "\(endpoint) \(refused.text)")
                #expect(try await server.accounts() == count)
                try await server.restore(account)
                #expect(try await send(endpoint, server, standIn, token).status == 200, "\(endpoint)")
            }
        }
    }

    private func send(
        _ endpoint: TokenEndpoint, _ server: TestServer, _ standIn: IssuerStandIn, _ token: String
    ) async throws -> TestServer.Answer {
        guard endpoint == .oidcBearer else { return try await endpoint.send(server, standIn, token) }
        return try await server.send("GET", "/api/users/user/\(endpoint)/multimedia", headers: [("Authorization", "Bearer \(token)")])
    }

    @Test("a caller without a credential, whom the path names, is refused as well", arguments: StoragePair.allCases)
    func anonymous(_ pair: StoragePair) async throws {
        try await TestServer.run(pair, { $0.allowsAnonymous = true }) { server in
            let path = "/api/users/user/ada/multimedia"
            #expect(try await server.send("GET", path).status == 200)
            try await server.suspend("ada")
            #expect(try await server.send("GET", path).status == 403)
            try await server.restore("ada")
            #expect(try await server.send("GET", path).status == 200)
        }
    }

    @Test("a forgotten password's mail is not sent, and the answer does not tell", arguments: StoragePair.allCases)
    func forgotten(_ pair: StoragePair) async throws {
        try await TestServer.run(pair) { server in
            _ = try await server.signUp("ada", name: "Ada")
            let ada: String = try await server.backend.database.read { tx in try #require(try tx.row("SELECT id FROM account")).get("id") }
            let queue = JobQueue(clock: server.clock.wall, identifiers: Identifiers(clock: server.clock.wall, entropy: .system))
            func mails() async throws -> Int {
                let now = server.clock.now
                let reset = NewCode(
                    id: Identifiers(clock: server.clock.wall, entropy: .system).next(), hash: Base64URL.encode(Entropy.system.bytes(32)),
                    createdAt: now, expiresAt: now + .hours(1))
                try await server.backend.database.write { tx in
                    try AccountStore.addReset(reset, email: "ada@example.org", queue, tx)
                }
                return try await server.backend.database.read { tx in
                    try tx.row("SELECT count(*) AS n FROM password_reset")?.get("n") ?? -1
                }
            }
            try await server.suspend(ada)
            #expect(try await mails() == 0)
            try await server.restore(ada)
            #expect(try await mails() == 1, "control")
        }
    }

    @Test("others see nothing of the account, at once, until it is restored; a deleted one never again", arguments: StoragePair.allCases)
    func hidden(_ pair: StoragePair) async throws {
        try await TestServer.run(pair) { server in
            let (ada, eve) = (try await server.person(), try await server.person("eve"))
            try await server.onboard("Ada", as: ada)
            func status() async throws -> Int { try await server.send("GET", "/profile?userId=\(ada.id)", as: eve).status }
            #expect(try await status() == 200)
            try await server.suspend(ada.id)
            #expect(try await status() == 404)
            try await server.restore(ada.id)
            #expect(try await status() == 200)
            #expect(try await server.send("POST", "/delete-user", as: ada).status == 200)
            #expect(try await status() == 404)
        }
    }

    // MARK: Sockets

    @Test(
        "sockets close within five seconds, on the node itself and on another one that missed the notification",
        arguments: StoragePair.allCases)
    func sockets(_ pair: StoragePair) async throws {
        try await IssuerStandIn.run { standIn async throws in
            let stores = try TestStores(pair, tables: "server")
            let clock = TestClock()
            try await TestServer.run(pair, on: stores, clock: clock) {
                $0.identities = IdentityForge.settings(standIn)
                $0.sockets.look = .seconds(2)
            } _: { server in
                let (ada, eve) = (try await server.person(), try await server.person("eve"))
                let zoe = try server.firebasePerson("zoe", standIn)
                func connect(_ person: TestServer.Person) throws -> WebSocketClient {
                    try WebSocketClient(port: server.port, path: "/ws/events", headers: [person.bearer])
                }
                let hers = [try connect(ada), try connect(ada), try connect(zoe)]
                let others = try connect(eve)
                let began = ContinuousClock.now
                try await server.suspend(ada.id)
                try await server.suspend("zoe")
                for socket in hers { #expect(try socket.nextClose().closeCode == 1_008) }
                #expect(ContinuousClock.now - began < .seconds(5))

                // Suspends Eve in the database, as another process would. Nothing notifies this node, so only its periodic check finds the
                // suspension. The check runs every two seconds here, since the machine that runs the tests may be slow, and every four in
                // production.
                #expect(OpenSockets.Settings().look <= .seconds(4))
                let later = ContinuousClock.now
                let now = clock.now
                try await server.backend.database.write { tx in try tx.run("UPDATE account SET suspended_at = \(now) WHERE id = \(eve.id)")
                }
                #expect(try others.nextClose().closeCode == 1_008)
                #expect(ContinuousClock.now - later < .seconds(5))

                #expect(throws: WebSocketClient.Refused.self) { try connect(ada) }
                try await server.restore(ada.id)
                let back = try connect(ada)
                try back.close()
                #expect(try back.nextClose().closeCode == 1_000)
            }
        }
    }

    @Test("a second node closes its sockets when it is notified of the suspension")
    func secondNode() async throws {
        let stores = try TestStores(.postgres, tables: "server")
        let clock = TestClock()
        try await TestServer.run(.postgres, on: stores, clock: clock) { one in
            try await TestServer.run(.postgres, on: stores, clock: clock, { $0.sockets.look = .hours(1) }) { two in
                let ada = try await one.person()
                let client = try WebSocketClient(port: two.port, path: "/ws/events", headers: [ada.bearer])
                try await eventually { two.backend.hub.counts.subscriptions == 1 }
                let began = ContinuousClock.now
                try await one.suspend(ada.id)
                #expect(try client.nextClose().closeCode == 1_008)
                #expect(ContinuousClock.now - began < .seconds(5))
            }
        }
    }

    // MARK: Races

    @Test("an upload that began before is stored, but shown to nobody until the account is restored", arguments: StoragePair.allCases)
    func uploading(_ pair: StoragePair) async throws {
        try await TestServer.run(pair) { server in
            let ada = try await server.person()
            let body = MultipartBody.file("a.jpg", try Fixture.data("baseline.jpg"))
            let bytes = Array(body.data)
            let head = [
                "POST /api/users/user/\(ada.id)/multimedia/swift HTTP/1.1", "Host: 127.0.0.1", "Authorization: Bearer \(ada.token)",
                "Content-Type: \(body.contentType)", "Content-Length: \(bytes.count)", "Expect: 100-continue", "", "",
            ]
            let connection = try RawConnection(port: server.port)
            try connection.send(head.joined(separator: "\r\n"))
            // The handler asks for the body, so the request is authenticated.
            #expect(try connection.head().status == 100)
            try await server.suspend(ada.id)
            try connection.send(bytes)
            let answer = try connection.answer()
            #expect(answer.status == 200, "\(answer.text)")
            let link = try JSONDecoder().decode(UploadResponse.self, from: Data(answer.body)).files[0].data.url
            #expect(try await server.send("GET", link).status == 404)
            #expect(try await server.upload(body, as: ada).status == 403)
            try await server.restore(ada.id)
            #expect(try await server.send("GET", link).status == 200)
            let list = try await server.send("GET", "/api/users/user/\(ada.id)/multimedia", as: ada).decode(MediaListResponse.self)
            #expect(list.files.count == 1)
        }
    }

    @Test(
        "a deletion that was authenticated before the suspension is refused, and restoring brings the account back",
        arguments: StoragePair.allCases)
    func deleting(_ pair: StoragePair) async throws {
        try await TestServer.run(pair) { server in
            let ada = try await server.person()
            try await server.suspend(ada.id)
            let now = server.clock.now
            await #expect(throws: Problem.suspended) {
                _ = try await server.backend.accounts.close(ada.id, at: now, hiding: { _ in Issue.record("hidden twice") }, also: { _ in })
            }
            try await server.restore(ada.id)
            #expect(try await server.send("GET", "/user/me", as: ada).status == 200)
        }
    }

    @Test("a write can insist that its account is neither closed nor suspended", arguments: StoragePair.allCases)
    func insisting(_ pair: StoragePair) async throws {
        try await TestServer.run(pair) { server in
            let (ada, eve) = (try await server.person(), try await server.person("eve"))
            let accounts = server.backend.accounts
            func write(_ person: TestServer.Person) async throws {
                try await server.backend.database.write { tx in try accounts.requireActive(person.id, tx) }
            }
            try await write(ada)
            try await server.suspend(ada.id)
            await #expect(throws: Problem.suspended) { try await write(ada) }
            #expect(try await server.send("POST", "/auth/delete", as: eve).status == 200)
            await #expect(throws: Problem.accountGone) { try await write(eve) }
        }
    }
}
