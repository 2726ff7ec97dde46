import KeepsakeWire
import TestKit
import Testing

@testable import FeatureTestKit
@testable import People
@testable import keepsake

@Suite("Pages of friends, requests and blocks")
struct FriendPagingTests {
    typealias Person = TestServer.Person

    /// One of the four lists, with functions that add a person to it and remove one.
    struct List: Sendable, CustomTestStringConvertible {
        let path: String
        let add: @Sendable (_ person: Person, _ viewer: Person, _ server: TestServer) async throws -> Void
        /// - Parameter row: the row's plain id.
        let remove: @Sendable (_ person: Person, _ row: String, _ viewer: Person, _ server: TestServer) async throws -> Int
        /// The people of an answer with the plain ids of their rows, in order.
        let rows: @Sendable (_ answer: TestServer.Answer) throws -> (rows: [Row], next: String?)

        var testDescription: String { path }
    }

    struct Row: Sendable, Hashable {
        let person: String
        let id: String
    }

    private static let friends = List(
        path: "/friends",
        add: { person, viewer, server in try await server.befriend(person, viewer) },
        remove: { _, row, viewer, server in
            try await server.sendJSON("POST", "/remove-friend", ["friendshipId": row], as: viewer).status
        },
        rows: { answer in
            let list = try answer.decodeCoves(FriendList.self)
            return (list.friends.map { Row(person: $0.id, id: $0.friendshipId) }, list.pagination.nextCursor)
        })

    private static let requests = List(
        path: "/friend-requests",
        add: { person, viewer, server in _ = try await server.requestFriend(viewer, as: person) },
        remove: { _, row, viewer, server in try await server.resolve(row, accept: false, as: viewer) },
        rows: { answer in
            let list = try answer.decodeCoves(FriendRequestList.self)
            return (list.requests.map { Row(person: $0.sender.id, id: $0.id) }, list.pagination.nextCursor)
        })

    private static let sent = List(
        path: "/sent-friend-requests",
        add: { person, viewer, server in _ = try await server.requestFriend(person, as: viewer) },
        remove: { _, row, viewer, server in try await server.cancel(row, as: viewer) },
        rows: { answer in
            let list = try answer.decodeCoves(SentFriendRequestList.self)
            return (list.requests.map { Row(person: $0.recipient.id, id: $0.id) }, list.pagination.nextCursor)
        })

    private static let blocks = List(
        path: "/blocks",
        add: { person, viewer, server in
            let answer = try await server.sendJSON("POST", "/block", ["userId": person.id], as: viewer)
            #expect(answer.status == 200, "\(answer.text)")
        },
        remove: { person, _, viewer, server in
            try await server.sendJSON("POST", "/unblock", ["userId": person.id], as: viewer).status
        },
        rows: { answer in
            let list = try answer.decodeCoves(BlockList.self)
            return (list.blocks.map { Row(person: $0.id, id: $0.id) }, list.pagination.nextCursor)
        })

    private static let all = [friends, requests, sent, blocks]

    /// How the test requests the next page.
    enum Way: Sendable { case nextCursor, plainID, offset }

    private static let limit = 3

    /// Reads all pages while, between any two of them, two people are added and two removed: one who was shown, and one who was not.
    /// - Returns: the people of the pages in order, and those who were on the list all the time.
    private func read(_ list: List, by way: Way, _ server: TestServer) async throws -> (seen: [String], staying: Set<String>) {
        let viewer = try await server.person("viewer-\(way)")
        var others: [String: Person] = [:]
        func add(_ count: Int) async throws {
            for _ in 0..<count {
                let person = try await server.person("\(way)-\(others.count)")
                others[person.id] = person
                try await list.add(person, viewer, server)
            }
        }
        func page(_ query: String) async throws -> (rows: [Row], next: String?) {
            try list.rows(try await server.send("GET", "\(list.path)?\(query)", as: viewer))
        }
        // Eight people are added at the same instant, six later.
        try await add(8)
        server.clock.advance(by: .seconds(1))
        try await add(6)
        var staying = Set(others.keys)
        var seen: [String] = []
        var query = "limit=\(Self.limit)"
        while true {
            var answer = try await page(way == .offset ? "limit=50" : query)
            if way == .offset {
                let rest = answer.rows.dropFirst(seen.count)
                answer = (Array(rest.prefix(Self.limit)), rest.count > Self.limit ? "more" : nil)
            }
            seen += answer.rows.map(\.person)
            guard let next = answer.next, let last = answer.rows.last, let shown = answer.rows.first else { break }
            query = "limit=\(Self.limit)&cursor=\(way == .plainID ? last.id : next)"
            // A plain id stops working as a cursor when its row is gone, so the test keeps the page's last row.
            var gone = [shown]
            if let hidden = try await page("limit=50").rows.last(where: { !seen.contains($0.person) }) { gone.append(hidden) }
            server.clock.advance(by: .seconds(1))
            for row in gone {
                let person = try #require(others[row.person])
                #expect(try await list.remove(person, row.id, viewer, server) == 200)
                staying.remove(row.person)
            }
            // Add more rows than were removed from the pages before, so that offsets shift.
            try await add(2)
        }
        return (seen, staying)
    }

    @Test("each row that stays is shown exactly once while rows come and go", arguments: all, Engine.allCases)
    func pages(_ list: List, _ engine: Engine) async throws {
        try await TestServer.run(engine) { server in
            for way in [Way.nextCursor, .plainID] {
                let (seen, staying) = try await read(list, by: way, server)
                #expect(Set(seen).count == seen.count, "\(way) repeats a row")
                #expect(staying.isSubset(of: seen), "\(way) leaves a row out")
                // The list had several pages.
                #expect(staying.count > 2 * Self.limit && seen.count > 3 * Self.limit)
            }
            // Control: pages by offset repeat rows or leave rows out.
            let (seen, staying) = try await read(list, by: .offset, server)
            #expect(Set(seen).count < seen.count || !staying.isSubset(of: seen))
        }
    }

    @Test("the newest come first, limits are those of the contract, and a cursor serves its own list only", arguments: Engine.allCases)
    func limits(_ engine: Engine) async throws {
        try await TestServer.run(engine) { server in
            let (ada, bob) = (try await server.person(), try await server.person("bob"))
            var people: [String] = []
            for number in 0..<12 {
                server.clock.advance(by: .seconds(1))
                let person = try await server.person("friend-\(number)")
                try await server.befriend(person, ada)
                people.insert(person.id, at: 0)
            }
            func ids(_ query: String) async throws -> [String] {
                try await server.send("GET", "/friends" + query, as: ada).decodeCoves(FriendList.self).friends.map(\.id)
            }
            #expect(try await ids("") == Array(people.prefix(10)))
            #expect(try await ids("?limit=&cursor=") == Array(people.prefix(10)))
            #expect(try await ids("?limit=12") == people)
            #expect(try await ids("?limit=500") == people)
            for limit in ["0", "-1", "x", "1.5"] {
                let answer = try await server.send("GET", "/friends?limit=\(limit)", as: ada)
                #expect(answer.status == 400 && answer.text.contains("limit"), "\(limit): \(answer.text)")
            }
            let first = try await server.send("GET", "/friends?limit=2", as: ada).decodeCoves(FriendList.self)
            let (cursor, row) = (try #require(first.pagination.nextCursor), try #require(first.friends.last).friendshipId)
            #expect(first.pagination.hasMore)
            #expect(try await ids("?limit=3&cursor=\(cursor)") == Array(people[2..<5]))
            #expect(try await ids("?limit=3&cursor=\(row)") == Array(people[2..<5]))
            for (path, person) in [
                ("/friends", bob), ("/friend-requests", ada), ("/sent-friend-requests", ada), ("/blocks", ada), ("/friend-requests", bob),
            ] {
                for text in [cursor, row, "x", String(cursor.dropLast())] {
                    let answer = try await server.send("GET", "\(path)?cursor=\(text)", as: person)
                    #expect(answer.status == 400, "\(path) \(text)")
                }
            }
            // A row stops working as a cursor when the friendship has ended.
            #expect(try await server.sendJSON("POST", "/remove-friend", ["friendshipId": row], as: ada).status == 200)
            #expect(try await server.send("GET", "/friends?cursor=\(row)", as: ada).status == 400)
            #expect(try await ids("?limit=3&cursor=\(cursor)") == Array(people[2..<5]))
        }
    }
}
