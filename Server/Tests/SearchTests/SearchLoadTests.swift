import Accounts
import AsyncHTTPClient
import Core
import Database
import Dispatch
import Foundation
import KeepsakeWire
import NIOCore
import NIOHTTP1
import SQLiteEngine
import TestKit
import TestThreads
import Testing

@testable import FeatureTestKit
@testable import Search
@testable import keepsake

/// How much of the shared resources searches may use.
@Suite("Searches and other requests", .blocksThreads, .runsAlone)
struct SearchLoadTests {
    @Test("of one account's many searches one runs, some wait and the rest are refused with a retry; other requests are answered meanwhile")
    func crowd() async throws {
        try await TestServer.run(.sqlite) { server in
            let ada = try await server.person()
            let eve = try await server.person("eve")
            let note = "apple " + String(repeating: "sea and sun and ", count: 600)
            for _ in 0..<60 { _ = try await server.mood([("mood", "happy"), ("note", note)], as: ada) }
            _ = try await server.mood([("mood", "happy"), ("note", "apple")], as: eve)
            let work = server.backend.features[SearchFeature.self].store.work
            // The tests' usual client has only eight connections.
            var configuration = HTTPClient.Configuration()
            configuration.connectionPool.concurrentHTTP1ConnectionsPerHostSoftLimit = 40
            let client = HTTPClient(eventLoopGroupProvider: .singleton, configuration: configuration)
            var request = HTTPClientRequest(url: server.url + server.moments(ada, "search?q=apple&limit=100"))
            request.headers.add(name: ada.bearer.0, value: ada.bearer.1)
            let search = request
            try await withThrowingTaskGroup(of: (status: Int, retryAfter: String?).self) { group in
                for _ in 0..<40 {
                    group.addTask {
                        let answer = try await client.execute(search, timeout: .seconds(60))
                        _ = try await answer.body.collect(upTo: 16_777_216)
                        return (Int(answer.status.code), answer.headers.first(name: "Retry-After"))
                    }
                }
                var most = 0
                for _ in 0..<5 {
                    most = max(most, work.counts.working)
                    #expect(try await server.send("GET", "/user/me", as: eve).status == 200)
                    // Eve's search runs after one of Ada's searches, not after all of them.
                    #expect(try await server.send("GET", server.moments(eve, "search?q=apple"), as: eve).status == 200)
                }
                var statuses: [Int: Int] = [:]
                for try await answer in group {
                    statuses[answer.status, default: 0] += 1
                    if answer.status == 429 { #expect(answer.retryAfter == "1") }
                }
                let limits = SearchFeature.limits(processors: ProcessInfo.processInfo.activeProcessorCount)
                #expect(most <= limits.permits)
                #expect(statuses[200, default: 0] >= limits.permitsPerKey + limits.waitingPerKey && statuses[429, default: 0] > 0)
                #expect(statuses.values.reduce(0, +) == statuses[200, default: 0] + statuses[429, default: 0], "\(statuses)")
            }
            try await client.shutdown()
            let counts = work.counts
            #expect(counts.working == 0 && counts.waiting == 0)
        }
    }

    @Test("many accounts of one network leave a permit, and places in the queue, to another network")
    func networks() async throws {
        let limits = SearchFeature.limits(processors: 2)
        let work = FairWork(limits)
        let (crowded, other) = (Network(ipv4: 1), Network(ipv4: 2))
        let first = try await work.turn(Requester(account: "crowd", network: crowded))
        try await withThrowingTaskGroup(of: Void.self) { group in
            for number in 0..<limits.waitingPerNetwork {
                group.addTask { try await work.turn(Requester(account: "crowd\(number)", network: crowded)).release() }
            }
            try await eventually { work.counts.waiting == limits.waitingPerNetwork }
            let problem = await #expect(throws: Problem.self) { try await work.turn(Requester(account: "late", network: crowded)) }
            #expect(problem?.kind == .tooManyRequests)
            // The other network gets its turn at once, although 64 requests are waiting.
            let second = try await work.turn(Requester(account: "eve", network: other))
            #expect(work.counts.working == 2 && work.counts.waiting == limits.waitingPerNetwork)
            second.release()
            first.release()
            try await group.waitForAll()
        }
        let counts = work.counts
        #expect(counts.working == 0 && counts.waiting == 0)
    }

    @Test("a search's computation does not run on the threads that serve requests", arguments: Engine.allCases)
    func threads(_ engine: Engine) async throws {
        try await SearchHome.run(engine) { home in
            // There are as many computations as reader threads and threads of Swift's executor together. All of them block until the last
            // one has started.
            let count = ProcessInfo.processInfo.activeProcessorCount + 8
            let work = FairWork(FairSemaphore.Limits(permits: count, permitsPerKey: count, waiting: 1, waitingPerKey: 1))
            let gate = DispatchSemaphore(value: 0)
            try await withThrowingTaskGroup(of: Void.self) { group in
                for _ in 0..<count { group.addTask { try await work.compute { gate.wait() } } }
                let answer = try await home.database.read { tx in try tx.row("SELECT 1 AS n")?.get("n", as: Int.self) }
                #expect(answer == 1)
                for _ in 0..<count { gate.signal() }
                try await group.waitForAll()
            }
        }
    }
}

/// A search reads only a limited part of the texts of the documents that it finds.
@Suite("Texts and heads of search documents", .blocksThreads)
struct SearchTextLimitTests {
    @Test("a page reads texts up to a limit, and whole texts if they have ordinary length", arguments: Engine.allCases)
    func texts(_ engine: Engine) async throws {
        try await SearchHome.run(engine) { home in
            let (long, ordinary) = (String(repeating: "sea \"é\" ", count: 6_000), String(repeating: "sun and ", count: 1_250))
            try await home.put((0..<24).map { SearchHome.document("long\($0)", ["title", long]) })
            try await home.put((0..<20).map { SearchHome.document("ordinary\($0)", ["title", ordinary]) })
            func read(_ q: String, _ limit: Int) async throws -> [String] {
                let hits = try await home.store.hits(home.question(q), after: nil, limit: limit).map(\.hit)
                #expect(hits.count == limit)
                return try await home.database.read { tx in try home.store.texts(of: hits, "ada", tx).map { $0.1 } }
            }
            let many = try await read("sea", 24)
            #expect(many.map(\.unicodeScalars.count).reduce(0, +) == SearchStore.pageTextLength / 24 * 24)
            // Texts that were cut can still be decoded.
            for column in many.prefix(3) {
                let texts = try SearchWords.texts(column: column)
                #expect(texts.count == 2 && long.hasPrefix(texts[1].text) && texts[1].text.unicodeScalars.count > 20_000)
            }
            for column in try await read("sun", 20) { #expect(try SearchWords.texts(column: column).last?.text == ordinary) }
        }
    }

    @Test("a text that is cut anywhere is decoded up to the cut")
    func cut() throws {
        let texts = [["title", #"a "quoted" \ back\slash / é"#], ["note", "line\nnext\t\u{1}🌊 [x], \"]]\""], ["tags", ""]]
        let column = String(decoding: try JSONEncoder().encode(texts), as: UTF8.self)
        #expect(try SearchWords.texts(column: column).map { [$0.field, $0.text] } == texts)
        for length in 1..<column.unicodeScalars.count {
            let beginning = String(String.UnicodeScalarView(column.unicodeScalars.prefix(length)))
            let read = try SearchWords.texts(column: beginning)
            for (text, whole) in zip(read, texts) {
                #expect(text.field == whole[0] && whole[1].unicodeScalars.starts(with: text.text.unicodeScalars), "\(beginning)")
            }
        }
    }

    @Test("ranking a document reads only the head of its words, however long its texts are")
    func heads() async throws {
        try await SearchHome.run(.sqlite) { home in
            let database = try #require(home.database as? SQLiteDatabase)
            try await home.put((0..<60).map { SearchHome.document("short\($0)", ["sea", "day"]) })
            let long = String(repeating: "longer words ", count: 4_000)
            try await home.put((0..<60).map { SearchHome.document("long\($0)", ["sun", long]) })
            func pages(_ q: String) async throws -> Int {
                let question = try home.question(q)
                let sql = try await database.read { tx in SearchStore.search(question, 0...0, lastPlace: .max, tx.tokenSearch) }
                _ = try await database.pages(sql)
                return try await database.pages(sql)
            }
            let (short, whole) = (try await pages("sea"), try await pages("sun"))
            // For each document, the search reads one row and one head. Before documents had heads, it read about 25 pages of texts for
            // each.
            #expect(whole <= short + 60 * 4, "\(short), then \(whole)")
        }
    }

    @Test("the migration adds heads to older documents", arguments: Engine.allCases)
    func migration(_ engine: Engine) async throws {
        let stores = try TestStores(engine)
        let database = try await stores.open()
        try await database.migrate(AccountsFeature.migrations + [SearchMigrations.all[0]])
        let tokens = String(repeating: "ünlü ", count: 600)
        try await database.write { tx in
            try tx.run("INSERT INTO account (id, created_at) VALUES ('ada', 1)")
            try tx.run(
                """
                INSERT INTO search_document (owner, kind, id, at, place, texts, tokens) VALUES ('ada', 'note', 'a', 1, 0, '[]', \(tokens))
                """)
        }
        try await database.migrate(AccountsFeature.migrations + SearchMigrations.all)
        let head = try await database.read { tx in try tx.row("SELECT head FROM search_head")?.get("head", as: String.self) }
        #expect(head == SearchRanking.head(of: tokens) && head?.unicodeScalars.count == 2_000)
        try await database.write { tx in try tx.run("DELETE FROM search_document") }
        let left = try await database.read { tx in try tx.rows("SELECT number FROM search_head").count }
        #expect(left == 0)
        try await database.close()
    }
}
