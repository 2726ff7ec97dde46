import Database
import Foundation
import KeepsakeWire
import TestKit
import Testing

@testable import Accounts
@testable import FeatureTestKit
@testable import Media
@testable import keepsake

@Suite("The profile picture and the usage in /user/me")
struct OwnAccountTests {
    private func me(_ server: TestServer, _ person: TestServer.Person) async throws -> User {
        try Surface.capsules.makeDecoder().decode(User.self, from: try await server.send("GET", "/user/me", as: person).body)
    }

    @Test(
        "an account without files has a usage of nothing and no picture; both follow uploads and deletions", arguments: StoragePair.allCases
    )
    func follows(_ pair: StoragePair) async throws {
        try await TestServer.run(pair, { $0.quotaByteCount = 50 * 1_048_576 }) { server in
            let (ada, eve) = (try await server.person(), try await server.person("eve"))
            let empty = try await me(server, ada)
            #expect(empty.usage == AccountUsage(files: 0, bytes: 0, quota: 50 * 1_048_576) && empty.profilePictureURL == nil)
            #expect(try await server.send("GET", "/user/me", as: ada).json()["profile_picture_url"] == nil)

            let picture = try Fixture.data("alpha.png")
            let answer = try await server.upload(
                .file("me.jpg", picture), to: "/api/users/user/\(ada.id)/profile-picture/swift", as: ada
            ).decode(ProfilePictureResponse.self)
            let one = try await me(server, ada)
            let link = try #require(one.profilePictureURL)
            #expect(link == answer.imageUrl)
            #expect(try await server.send("GET", link).body == picture)
            let usage = try #require(one.usage)
            #expect(usage.files == 1 && (picture.count...picture.count + 4_096).contains(usage.bytes), "\(usage)")

            // An entry without files counts bytes too.
            _ = try await server.mood([("mood", "calm"), ("note", String(repeating: "n", count: 1_000))], as: ada)
            let two = try #require(try await me(server, ada).usage)
            #expect(two.files == 1 && two.bytes >= usage.bytes + 1_000, "\(two)")

            let changed = try await server.send("PATCH", "/user/me", as: ada, body: Data(#"{"name":"Ada"}"#.utf8))
            let user = try Surface.capsules.makeDecoder().decode(User.self, from: changed.body)
            #expect(user.name == "Ada" && user.profilePictureURL == link && user.usage == two)
            #expect(try await me(server, eve).usage?.files == 0)

            let file = try #require(URL(string: link)?.lastPathComponent)
            #expect(try await server.send("DELETE", "/api/users/user/\(ada.id)/multimedia/\(file)", as: ada).status == 200)
            let three = try await me(server, ada)
            #expect(three.profilePictureURL == nil && three.usage?.files == 0)
        }
    }

    @Test("the statement finds its rows by an index", arguments: Engine.allCases)
    func plan(_ engine: Engine) async throws {
        try await TestServer.run(engine, tables: TestServer.newTables) { server in
            let plan = try await QueryPlan(AccountStore.ownAccount("x", LibrarySummary.self), on: server.backend.database)
            #expect(!plan.steps.isEmpty && plan.faults.isEmpty, "\(plan)")
        }
    }
}
