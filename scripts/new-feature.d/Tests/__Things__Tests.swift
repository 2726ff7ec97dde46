import Database
import Foundation
import KeepsakeWire
import TestKit
import Testing

@testable import FeatureTestKit
@testable import __Things__
@testable import keepsake

@Suite("__Things__")
struct __Things__Tests {
    @Test("one is created with its file, listed, on the timeline, found, and its words are counted by a job", arguments: StoragePair.allCases)
    func whole(_ pair: StoragePair) async throws {
        try await TestServer.run(pair) { server in
            let ada = try await server.person()
            let made = try await create("a quiet lake", server, ada)
            #expect(made.title == "a quiet lake")
            let sent = try Fixture.data("photo.jpg")
            let link = try #require(made.fileUrl)
            #expect(try await server.send("GET", link).body == sent)

            try await eventually { try await read(made.id, server, ada).wordCount == 3 }
            let list = try await server.send("GET", path(ada), as: ada).decode(__Thing__ListResponse.self)
            #expect(list.__things__.map(\.id) == [made.id] && !list.pagination.hasMore)
            for rest in ["timeline", "search?q=lake"] {
                let answer = try await server.send("GET", "/api/users/user/\(ada.id)/\(rest)", as: ada)
                let json = try answer.json()
                let items = try #require(json["items"] as? [[String: Any]], "\(answer.text)")
                #expect(items.count == 1 && items[0]["kind"] as? String == __Thing__.kind, "\(rest)")
                #expect((items[0][__Thing__.kind] as? [String: Any])?["id"] as? String == made.id, "\(rest)")
            }
        }
    }

    @Test("pages come newest first, whole and without repeats, also when all were made in one instant", arguments: StoragePair.allCases)
    func paging(_ pair: StoragePair) async throws {
        try await TestServer.run(pair) { server in
            let ada = try await server.person()
            var made: Set<String> = []
            for index in 0..<5 { made.insert(try await create("number \(index)", server, ada).id) }
            var seen: [String] = []
            var cursor: String?
            repeat {
                let rest = "?limit=2" + (cursor.map { "&cursor=\($0)" } ?? "")
                let page = try await server.send("GET", path(ada) + rest, as: ada).decode(__Thing__ListResponse.self)
                seen += page.__things__.map(\.id)
                cursor = page.pagination.nextCursor
            } while cursor != nil
            #expect(seen.count == 5 && Set(seen) == made)
        }
    }

    @Test("a stranger, and a missing title or file, get nothing", arguments: StoragePair.allCases)
    func refused(_ pair: StoragePair) async throws {
        try await TestServer.run(pair) { server in
            let ada = try await server.person()
            let eve = try await server.person("eve")
            let made = try await create("hers", server, ada)
            for method in ["GET", "DELETE"] {
                #expect(try await server.send(method, path(ada) + "/\(made.id)", as: eve).status == 403)
                #expect(try await server.send(method, path(eve) + "/\(made.id)", as: eve).status == 404)
                #expect(try await server.send(method, path(ada) + "/\(made.id)").status == 401)
            }
            #expect(try await upload(title: nil, file: true, server, ada).status == 400)
            #expect(try await upload(title: "x", file: false, server, ada).status == 400)
            #expect(try await read(made.id, server, ada).id == made.id)
        }
    }

    @Test("a deletion takes the row, its words and its file; a file deleted alone leaves the row", arguments: StoragePair.allCases)
    func deletion(_ pair: StoragePair) async throws {
        try await TestServer.run(pair) { server in
            let ada = try await server.person()
            let gone = try await create("a first lake", server, ada)
            let stays = try await create("a second lake", server, ada)
            #expect(try await server.send("DELETE", path(ada) + "/\(gone.id)", as: ada).status == 200)
            #expect(try await server.send("GET", path(ada) + "/\(gone.id)", as: ada).status == 404)
            let link = try #require(gone.fileUrl)
            #expect(try await server.send("GET", link).status == 404)
            let found = try await server.send("GET", "/api/users/user/\(ada.id)/search?q=lake", as: ada).text
            #expect(!found.contains(gone.id) && found.contains(stays.id))

            let url = try #require(stays.fileUrl.flatMap { URL(string: $0) })
            let deleted = try await server.send("DELETE", "/api/users/user/\(ada.id)/multimedia/\(url.lastPathComponent)", as: ada)
            #expect(deleted.status == 200)
            #expect(try await read(stays.id, server, ada).fileUrl == nil)
        }
    }

    @Test("nothing is left when the account is deleted", arguments: StoragePair.allCases)
    func account(_ pair: StoragePair) async throws {
        try await TestServer.run(pair) { server in
            let ada = try await server.person()
            _ = try await create("hers", server, ada)
            #expect(try await server.rowCounts(of: ada.id)["__thing__"] == 1)
            #expect(try await server.send("POST", "/auth/delete", as: ada).status == 200)
            try await server.waitUntilErased(ada.id)
            #expect(try await server.rowCounts(of: ada.id) == [:])
        }
    }

    @Test("a page walks the index, wherever it begins", arguments: StoragePair.allCases)
    func plan(_ pair: StoragePair) async throws {
        try await TestServer.run(pair) { server in
            for key in [nil, TimeKey(at: server.clock.now, id: "x")] {
                let plan = try await server.backend.database.plan(__Thing__Store.page(owner: "o", after: key, limit: 21))
                #expect(plan.contains { $0.contains("__thing___by_time") }, "\(plan)")
            }
        }
    }

    // MARK: Requests

    private func path(_ person: TestServer.Person) -> String { "/api/users/user/\(person.id)/__things__" }

    private func upload(title: String?, file: Bool, _ server: TestServer, _ person: TestServer.Person) async throws -> TestServer.Answer {
        var body = MultipartBody()
        if let title { body.add("title", title) }
        if file { body.add("file", fileName: "photo.jpg", type: "image/jpeg", try Fixture.data("photo.jpg")) }
        body.close()
        return try await server.upload(body, to: path(person), as: person)
    }

    private func create(_ title: String, _ server: TestServer, _ person: TestServer.Person) async throws -> __Thing__Data {
        let answer = try await upload(title: title, file: true, server, person)
        #expect(answer.status == 200, "\(answer.text)")
        return try answer.decode(__Thing__Response.self).__thing__
    }

    private func read(_ id: String, _ server: TestServer, _ person: TestServer.Person) async throws -> __Thing__Data {
        try await server.send("GET", path(person) + "/\(id)", as: person).decode(__Thing__Response.self).__thing__
    }
}
