import Core
import Database
import Foundation
import Jobs
import KeepsakeWire
import Outbound
import TestKit
import Testing

@testable import FeatureTestKit
@testable import Installation
@testable import keepsake

@Suite("What administrators see of the installation")
struct InstallationTests {
    private static let lists = ["/admin/status", "/admin/jobs", "/admin/outside"]

    private func decode<T: Decodable>(_ type: T.Type, _ answer: TestServer.Answer) throws -> T {
        try #require(answer.status == 200, "\(answer.text)")
        return try Surface.capsules.makeDecoder().decode(type, from: answer.body)
    }

    /// Adds jobs of a kind that no runner handles.
    private func addJobs(_ ids: [String], _ kind: String, state: String, owner: String?, _ server: TestServer) async throws {
        let now = server.clock.now
        try await server.backend.database.write { tx in
            for (number, id) in ids.enumerated() {
                try tx.run(
                    """
                    INSERT INTO job (id, kind, key, owner, payload, state, attempt, tries, lost, run_at, error, created_at)
                    VALUES (\(id), \(kind), \("key of \(id)"), \(owner), '{"secret":"canary"}', \(state), 3, 3, 0,
                        \(now + .seconds(Int64(number))), 'the disk is full', \(now))
                    """)
            }
        }
    }

    private func addCalls(_ ids: [String], owner: String?, _ server: TestServer) async throws {
        let now = server.clock.now
        try await server.backend.database.write { tx in
            for (number, id) in ids.enumerated() {
                try tx.run(
                    """
                    INSERT INTO engine_call (id, owner, at, engine, purpose, model, host, sent_bytes, received_bytes, milliseconds, outcome,
                        input_tokens)
                    VALUES (\(id), \(owner), \(now + .seconds(Int64(number / 2))), 'gemini', 'chat', 'flash', 'example.org', 100,
                        \(number == 0 ? nil : 7 as Int64?), \(number == 0 ? nil : 30 as Int64?), \(number == 0 ? "sent" : "answered 200"), 12)
                    """)
            }
        }
    }

    @Test("a disk that reports more free blocks than it has, or more bytes than fit into a number, has plausible figures")
    func disk() {
        let full = InstallationGauges.disk(blocks: 100, freeBlocks: 40, available: 30, unit: 4_096)
        #expect(full.used == 60 * 4_096 && full.free == 30 * 4_096)
        let quota = InstallationGauges.disk(blocks: 100, freeBlocks: 101, available: 101, unit: 4_096)
        #expect(quota.used == 0 && quota.free == 101 * 4_096)
        let endless = InstallationGauges.disk(blocks: .max, freeBlocks: 0, available: .max, unit: 4_096)
        #expect(endless.used == .max && endless.free == .max)
    }

    @Test("only administrators may read it; wrong parameters are refused", arguments: Engine.allCases)
    func refusals(_ engine: Engine) async throws {
        try await TestServer.run(engine) { server in
            let (eve, admin) = (try await server.person("eve"), try await server.administrator())
            for (method, path) in Self.lists.map({ ("GET", $0) }) + [("POST", "/admin/jobs/x/retry")] {
                #expect(try await server.send(method, path).status == 401, "\(path)")
                let refused = try await server.send(method, path, as: eve)
                #expect(refused.status == 403, "\(path)")
                #expect(try refused.json()["error"] as? String == "forbidden", "\(path)")
                #expect(try await server.send(method == "GET" ? "POST" : "GET", path, as: admin).status == 405, "\(path)")
            }
            for query in ["jobs?state=done", "jobs?limit=0", "jobs?limit=101", "jobs?cursor=x", "outside?limit=x", "outside?cursor=x"] {
                #expect(try await server.send("GET", "/admin/\(query)", as: admin).status == 400, "\(query)")
            }
            #expect(try await server.send("POST", "/admin/jobs/nothing/retry", as: admin).status == 404)
        }
    }

    @Test("the status has health, sizes, counts, nodes and the version, in exactly these keys", arguments: StoragePair.allCases)
    func status(_ pair: StoragePair) async throws {
        try await TestServer.run(pair, { $0.measuresDatabase = true }) { server in
            let admin = try await server.administrator()
            try await addJobs(["a", "b"], "test/never", state: "parked", owner: nil, server)
            // The server measures at its start and then every half minute. Two measurements at the same time would count rows twice.
            try await eventually { server.backend.installation.figures.measuredAt != nil }
            try await server.backend.installation.refresh(try await server.backend.jobs.counts())
            try await eventually {
                try decode(AdminStatus.self, try await server.send("GET", "/admin/status", as: admin)).nodes.count == 1
            }
            let answer = try await server.send("GET", "/admin/status", as: admin)
            let status = try decode(AdminStatus.self, answer)
            #expect(
                try Set(answer.json().keys)
                    == ["version", "checks", "measured_at", "database", "disk", "accounts", "stored", "jobs", "nodes"])
            #expect(status.version == Keepsake.version)
            #expect(status.checks.map(\.name) == ["database", "blobs"] && status.checks.allSatisfy { $0.isOK && $0.error == nil })
            #expect(status.database.engine == (pair.engine == .sqlite ? "SQLite" : "PostgreSQL") && status.database.bytes ?? 0 > 10_000)
            #expect(status.disk.map { $0.free > 0 && $0.used > 0 } == true && status.measuredAt != nil && status.accounts == 1)
            #expect(status.stored.map(\.kind) == ["image", "video", "audio", "document", "copy"])
            let jobs = try #require(status.jobs.first { $0.kind == "test/never" })
            #expect(jobs == AdminStatus.JobCount(kind: "test/never", ready: 0, running: 0, parked: 2, oldestSeconds: 0))
            let node = try #require(status.nodes.first)
            #expect(node.isAlive && node.version == Keepsake.version && node.host.contains(":"))
        }
    }

    @Test("jobs are listed by state and kind in pages, without their payloads", arguments: Engine.allCases)
    func jobs(_ engine: Engine) async throws {
        try await TestServer.run(engine) { server in
            let (ada, admin) = (try await server.person(), try await server.administrator())
            try await addJobs(["a1", "a2", "a3"], "test/a", state: "parked", owner: ada.id, server)
            try await addJobs(["b1", "b2"], "test/b", state: "parked", owner: nil, server)
            try await addJobs(["c1"], "test/c", state: "ready", owner: nil, server)
            func page(_ query: String) async throws -> AdminJobList {
                let answer = try await server.send("GET", "/admin/jobs\(query)", as: admin)
                #expect(!answer.text.contains("canary") && !answer.text.contains("key of"))
                return try decode(AdminJobList.self, answer)
            }
            var shown: [AdminJob] = []
            var cursor: String?
            repeat {
                let next = try await page("?limit=2" + (cursor.map { "&cursor=\($0)" } ?? ""))
                shown += next.jobs
                cursor = next.nextCursor
            } while cursor != nil
            #expect(shown.map(\.id) == ["a1", "a2", "a3", "b1", "b2"])
            #expect(shown.allSatisfy { $0.state == .parked && $0.error == "the disk is full" && $0.tries == 3 && $0.node == nil })
            #expect(shown.map(\.accountID) == [ada.id, ada.id, ada.id, nil, nil])
            #expect(try await page("?kind=test/b").jobs.map(\.id) == ["b1", "b2"])
            #expect(try await page("?kind=test/c&state=ready").jobs.map(\.id) == ["c1"])
            let first = try #require(try await page("?limit=1").nextCursor)
            for other in ["&state=ready", "&kind=test/a"] {
                #expect(
                    try await server.send("GET", "/admin/jobs?cursor=\(first)\(other)", as: admin).status == 400, "another list's cursor")
            }
            let keys = try await server.send("GET", "/admin/jobs?limit=1", as: admin).json()["jobs"] as? [[String: Any]]
            #expect(
                keys?.first.map { Set($0.keys) }
                    == ["id", "kind", "state", "account_id", "tries", "created_at", "run_at", "node", "error"])
        }
    }

    @Test("a full page of 100 jobs has a next page only if there is another job", arguments: Engine.allCases)
    func largestPage(_ engine: Engine) async throws {
        try await TestServer.run(engine) { server in
            let admin = try await server.administrator()
            try await addJobs((0..<100).map { "job-\($0)" }, "test/a", state: "parked", owner: nil, server)
            let all = try decode(AdminJobList.self, try await server.send("GET", "/admin/jobs?limit=100", as: admin))
            #expect(all.jobs.count == 100 && all.nextCursor == nil)
            try await addJobs(["one more"], "test/b", state: "parked", owner: nil, server)
            let first = try decode(AdminJobList.self, try await server.send("GET", "/admin/jobs?limit=100", as: admin))
            #expect(first.jobs.count == 100 && first.nextCursor != nil)
        }
    }

    @Test func `a cursor's key is read back, and texts that are none are refused`() {
        let cursor = JobCursor(kind: "test/a", runAt: Timestamp(seconds: 7), id: "x")
        #expect(JobKey(cursorParts: JobKey(cursor: cursor).cursorParts)?.cursor == cursor)
        #expect(JobKey(cursorParts: ["test/a", "seven", "x"]) == nil)
    }

    @Test("a parked job is retried once, and the log names the administrator", arguments: Engine.allCases)
    func retry(_ engine: Engine) async throws {
        let lines = LogLines()
        try await TestServer.run(engine, logger: lines.logger) { server in
            let admin = try await server.administrator()
            try await addJobs(["a"], "test/a", state: "parked", owner: nil, server)
            server.clock.advance(by: .minutes(5))
            let retried = try decode(AdminJob.self, try await server.send("POST", "/admin/jobs/a/retry", as: admin))
            #expect(retried.state == .ready && retried.tries == 0 && retried.kind == "test/a")
            #expect(abs(retried.runAt.timeIntervalSince(server.clock.now.date)) < 0.001)
            #expect(try await server.send("POST", "/admin/jobs/a/retry", as: admin).status == 409)
            let row = try await server.backend.database.read { tx in try tx.row("SELECT state, attempt, tries FROM job WHERE id = 'a'") }
            #expect(try row?.get("state") == "ready" && row?.get("attempt") == 3 as Int64 && row?.get("tries") == 0 as Int64)
            #expect(lines.of("an administrator retried a job") == [["job": "a", "kind": "test/a", "administrator": admin.id]])
        }
    }

    @Test("what was sent outside is listed newest first, of all accounts or of one", arguments: Engine.allCases)
    func outside(_ engine: Engine) async throws {
        try await TestServer.run(engine) { server in
            let (ada, eve, admin) = (try await server.person(), try await server.person("eve"), try await server.administrator())
            try await addCalls(["a1", "a2", "a3", "a4", "a5"], owner: ada.id, server)
            server.clock.advance(by: .minutes(1))
            try await addCalls(["b1"], owner: eve.id, server)
            func all(_ query: String) async throws -> [OutsideCall] {
                var shown: [OutsideCall] = []
                var cursor: String?
                repeat {
                    let path = "/admin/outside?limit=2\(query)" + (cursor.map { "&cursor=\($0)" } ?? "")
                    let page = try decode(OutsideCallList.self, try await server.send("GET", path, as: admin))
                    shown += page.calls
                    cursor = page.nextCursor
                } while cursor != nil
                return shown
            }
            #expect(try await all("").map(\.id) == ["b1", "a5", "a4", "a3", "a2", "a1"])
            let own = try await all("&account=\(ada.id)")
            #expect(own.map(\.id) == ["a5", "a4", "a3", "a2", "a1"] && own.allSatisfy { $0.accountID == ada.id })
            #expect(own[0].outcome == "answered 200" && own[0].bytesReceived == 7 && own[0].inputTokens == 12 && own[0].outputTokens == nil)
            #expect(own[4].outcome == "sent" && own[4].bytesReceived == nil && own[4].milliseconds == nil)
            #expect(try await all("&account=nobody").isEmpty)
        }
    }

    @Test("each page of the requests to outside engines walks an index and sorts nothing", arguments: Engine.allCases)
    func plans(_ engine: Engine) async throws {
        try await TestServer.run(engine, tables: nil) { server in
            let ada = try await server.person()
            try await addCalls((0..<400).map { "a\($0)" }, owner: ada.id, server)
            try await addCalls((0..<400).map { "b\($0)" }, owner: nil, server)
            if engine == .postgres { try await server.backend.database.write { tx in _ = try tx.run("ANALYZE engine_call") } }
            let key = TimeKey(at: server.clock.now + .seconds(90), id: "a")
            for owner in [nil, ada.id] {
                for after in [nil, key] {
                    let plan = try await QueryPlan(CallLedger.page(of: owner, after: after, limit: 21), on: server.backend.database)
                    #expect(plan.faults(mayWalk: true).isEmpty, "\(plan)")
                }
            }
        }
    }
}
