import Core
import Database
import Foundation
import KeepsakeWire
import TestKit
import Testing
import Web

@testable import FeatureTestKit
@testable import People
@testable import keepsake

@Suite("Reports")
struct ReportTests {
    private func report(
        _ server: TestServer, _ kind: String, _ id: String, _ reason: String = "It is rude.", as person: TestServer.Person?,
        key: String? = nil
    ) async throws -> TestServer.Answer {
        try await server.sendJSON("POST", "/report", ["kind": kind, "id": id, "reason": reason], as: person, key: key)
    }

    private func list(_ server: TestServer, _ query: String = "", as person: TestServer.Person) async throws -> AdminReportList {
        let answer = try await server.send("GET", "/admin/reports\(query)", as: person)
        try #require(answer.status == 200, "\(answer.text)")
        return try Surface.capsules.makeDecoder().decode(AdminReportList.self, from: answer.body)
    }

    private func rows(_ server: TestServer) async throws -> Int {
        try await server.backend.database.read { tx in try tx.row("SELECT count(*) AS n FROM report")?.get("n") ?? -1 }
    }

    // MARK: Sending

    @Test("each of the kinds is kept, and the answer has exactly a message", arguments: StoragePair.allCases)
    func kinds(_ pair: StoragePair) async throws {
        try await TestServer.run(pair) { server in
            let ada = try await server.person()
            for kind in ReportKind.allCases {
                let answer = try await report(server, kind.rawValue, "x-\(kind)", as: ada)
                #expect(answer.status == 200, "\(answer.text)")
                #expect(try Set(answer.json().keys) == ["message"])
            }
            let admin = try await server.administrator()
            let kept = try await list(server, as: admin).reports
            #expect(Set(kept.map(\.subject.kind)) == Set(ReportKind.allCases) && kept.allSatisfy { $0.reporter.id == ada.id })
        }
    }

    @Test("refusals of a report", arguments: StoragePair.allCases)
    func refusals(_ pair: StoragePair) async throws {
        try await TestServer.run(pair) { server in
            let ada = try await server.person()
            #expect(try await report(server, "user", "x", as: nil).status == 401)
            #expect(try await report(server, "user", "x", as: TestServer.Person(id: "x", token: ada.token + "x")).status == 401)
            let wrong = try await server.send("GET", "/report", as: ada)
            #expect(wrong.status == 405 && wrong.header("Allow") == "POST")
            let long = String(repeating: "é", count: 1_001)
            let bodies: [[String: Any]] = [
                [:], ["kind": "user", "id": "x"], ["kind": "user", "reason": "x"], ["id": "x", "reason": "x"],
                ["kind": "mood", "id": "x", "reason": "x"], ["kind": 1, "id": "x", "reason": "x"],
                ["kind": "user", "id": 1, "reason": "x"],
                ["kind": "user", "id": "", "reason": "x"], ["kind": "user", "id": "  ", "reason": "x"],
                ["kind": "user", "id": String(repeating: "x", count: 129), "reason": "x"], ["kind": "user", "id": "x\u{0}", "reason": "x"],
                ["kind": "user", "id": "x", "reason": ""], ["kind": "user", "id": "x", "reason": " \n "],
                ["kind": "user", "id": "x", "reason": long], ["kind": "user", "id": "x", "reason": "a\u{0}b"],
                ["kind": "user", "id": "x", "reason": NSNull()], ["kind": "user", "id": ada.id, "reason": "x"],
            ]
            for body in bodies {
                let answer = try await server.sendJSON("POST", "/report", body, as: ada)
                #expect(answer.status == 400, "\(body) \(answer.text)")
                #expect(try Set(answer.json().keys) == ["message"])
            }
            #expect(try await rows(server) == 0)
            #expect(try await report(server, "user", "x", String(long.dropLast()), as: ada).status == 200)
            try await server.suspend(ada.id)
            #expect(try await report(server, "user", "x", as: ada).status == 403)
            try await server.restore(ada.id)
            #expect(try await server.send("POST", "/auth/delete", as: ada).status == 200)
            #expect(try await report(server, "user", "x", as: ada).status == 401)
        }
    }

    @Test("the answer does not tell whether somebody exists, was deleted, or has blocked the reporter", arguments: StoragePair.allCases)
    func silent(_ pair: StoragePair) async throws {
        try await TestServer.run(pair) { server in
            let (ada, eve, joe) = (try await server.person(), try await server.person("eve"), try await server.person("joe"))
            try await server.block(ada, by: eve)
            #expect(try await server.send("POST", "/auth/delete", as: joe).status == 200)
            var answers: Set<String> = []
            for id in [eve.id, joe.id, "nobody"] {
                let answer = try await report(server, "user", id, as: ada)
                answers.insert("\(answer.status) \(answer.text)")
            }
            #expect(answers.count == 1 && answers.first?.hasPrefix("200 ") == true, "\(answers)")
            // Whoever has blocked somebody can report that person as well.
            #expect(try await report(server, "user", ada.id, as: eve).status == 200)
        }
    }

    /// Makes all reports older. The test's clock stays, because access tokens expire within the hour.
    private static func age(_ server: TestServer, hours: Int64) async throws {
        let span = hours * 3_600_000_000
        _ = try await server.backend.database.write { tx in try tx.run("UPDATE report SET created_at = created_at - \(span)") }
    }

    @Test("a person can send 20 reports a day, also in many requests at once", arguments: StoragePair.allCases)
    func limit(_ pair: StoragePair) async throws {
        try await TestServer.run(pair) { server in
            let (ada, eve) = (try await server.person(), try await server.person("eve"))
            let statuses = try await withThrowingTaskGroup(of: Int.self) { group in
                for number in 0..<30 { group.addTask { try await report(server, "cove", "\(number)", as: ada).status } }
                return try await group.reduce(into: [Int: Int]()) { $0[$1, default: 0] += 1 }
            }
            #expect(statuses == [200: 20, 429: 10])
            try await Self.age(server, hours: 23)
            let refused = try await report(server, "cove", "x", as: ada)
            #expect(refused.status == 429 && refused.header("Retry-After") == "3600")
            #expect(try Set(refused.json().keys) == ["message"])
            #expect(try await report(server, "cove", "x", as: eve).status == 200, "others have their own limit")
            try await Self.age(server, hours: 1)
            #expect(try await report(server, "cove", "x", as: ada).status == 200)
            #expect(try await rows(server) == 22)
        }
    }

    @Test("a repeat with the same key is answered again and kept once", arguments: StoragePair.allCases)
    func repeated(_ pair: StoragePair) async throws {
        try await TestServer.run(pair) { server in
            let ada = try await server.person()
            let first = try await report(server, "photo", "x", as: ada, key: "k")
            let again = try await report(server, "photo", "x", as: ada, key: "k")
            #expect(first.status == 200 && again.status == 200 && first.body == again.body)
            #expect(again.header("Idempotency-Replayed") == "true")
            #expect(try await report(server, "photo", "y", as: ada, key: "k").status == 422)
            #expect(try await rows(server) == 1)
        }
    }

    @Test("a report is exported to and deleted with its reporter, without the operator's note", arguments: StoragePair.allCases)
    func personal(_ pair: StoragePair) async throws {
        try await TestServer.run(pair) { server in
            let (ada, admin) = (try await server.person(), try await server.administrator())
            #expect(try await report(server, "user", "x", "canary of ada", as: ada).status == 200)
            let id = try #require(try await list(server, as: admin).reports.first?.id)
            let resolved = try await server.sendJSON("POST", "/admin/reports/\(id)/resolve", ["note": "canary of the operator"], as: admin)
            #expect(resolved.status == 200)
            let export = try await server.send("GET", "/auth/export", as: ada)
            #expect(export.body.range(of: Data("canary of ada".utf8)) != nil)
            #expect(export.body.range(of: Data("canary of the operator".utf8)) == nil)
            #expect(try await server.send("POST", "/auth/delete", as: ada).status == 200)
            try await server.waitUntilErased(ada.id)
            #expect(try await rows(server) == 0)
            #expect(try await server.rowCounts(of: ada.id) == [:])
        }
    }

    // MARK: The operator

    @Test("only administrators list and resolve", arguments: StoragePair.allCases)
    func strangers(_ pair: StoragePair) async throws {
        try await TestServer.run(pair) { server in
            let (ada, admin) = (try await server.person(), try await server.administrator())
            #expect(try await report(server, "user", "x", as: ada).status == 200)
            let id = try #require(try await list(server, as: admin).reports.first?.id)
            let resolve = "/admin/reports/\(id)/resolve"
            #expect(try await server.send("GET", "/admin/reports").status == 401)
            #expect(try await server.send("POST", resolve).status == 401)
            for (method, path) in [("GET", "/admin/reports"), ("POST", resolve), ("POST", "/admin/reports/nothing/resolve")] {
                let refused = try await server.send(method, path, as: ada)
                #expect(refused.status == 403, "\(path)")
                #expect(try refused.json()["error"] as? String == "forbidden")
            }
            #expect(try await server.send("POST", "/admin/reports", as: admin).status == 405)
            #expect(try await server.send("GET", resolve, as: admin).status == 405)
            #expect(try await server.send("POST", "/admin/reports/nothing/resolve", as: admin).status == 404)
            for query in ["?status=closed", "?limit=0", "?limit=101", "?cursor=x"] {
                #expect(try await server.send("GET", "/admin/reports\(query)", as: admin).status == 400, "\(query)")
            }
            for note in [String(repeating: "x", count: 1_001), "a\u{0}"] {
                #expect(try await server.sendJSON("POST", resolve, ["note": note], as: admin).status == 400)
            }
            #expect(try await list(server, as: admin).reports.map(\.status) == [.open])
        }
    }

    @Test("the list says who reported what and whose it is, in exactly these keys", arguments: StoragePair.allCases)
    func golden(_ pair: StoragePair) async throws {
        try await TestServer.run(pair) { server in
            let (ada, eve, admin) = (try await server.person(), try await server.person("eve"), try await server.administrator())
            try await server.onboard("Ada", as: ada)
            try await server.onboard("Eve", as: eve)
            try await server.insertCove("sailing", members: [eve])
            let photo = MultipartBody.file("a.jpg", try Fixture.data("photo.jpg"))
            let file = try await server.upload(photo, as: eve).decode(UploadResponse.self).files[0].data.fileId
            let now = server.clock.now
            try await server.backend.database.write { tx in
                try tx.run("INSERT INTO profile_photo (account, id, media) VALUES (\(eve.id), 'photo-1', \(file))")
                try tx.run(
                    """
                    INSERT INTO cove_event (id, cove, host, name, date, location, row_bytes, created_at, changed_at)
                    VALUES ('regatta', 'sailing', \(eve.id), 'Regatta', \(now), 'here', 1, \(now), \(now))
                    """)
                try tx.run("UPDATE cove SET event_count = 1 WHERE id = 'sailing'")
            }
            let subjects = [
                ("user", eve.id), ("cove", "sailing"), ("event", "regatta"), ("photo", "photo-1"), ("photo", file), ("user", "nobody"),
                ("cove", "none"),
            ]
            for (kind, id) in subjects {
                server.clock.advance(by: .seconds(1))
                #expect(try await report(server, kind, id, "about \(id)", as: ada).status == 200)
            }
            let page = try await server.send("GET", "/admin/reports", as: admin).json()
            #expect(Set(page.keys) == ["reports", "next_cursor"] && page["next_cursor"] is NSNull)
            let entries = try #require(page["reports"] as? [[String: Any]])
            #expect(entries.count == 7)
            for entry in entries {
                #expect(
                    Set(entry.keys) == [
                        "id", "status", "reason", "created_at", "reporter", "subject", "resolved_at", "resolved_by", "note",
                    ])
                #expect(entry["reporter"] as? [String: String] == ["id": ada.id, "name": "Ada"])
                #expect(entry["resolved_at"] is NSNull && entry["resolved_by"] is NSNull && entry["note"] is NSNull)
                #expect(Set((entry["subject"] as? [String: Any] ?? [:]).keys) == ["kind", "id", "name", "account_id"])
            }
            let first = try #require(entries.first)
            #expect(first["created_at"] as? String == WireDate.format(microseconds: server.clock.now.microseconds, .microseconds))
            let shown = try await list(server, as: admin).reports
            #expect(shown.map(\.subject.id) == subjects.map(\.1).reversed(), "newest first")
            #expect(shown.map(\.reason) == subjects.map { "about \($0.1)" }.reversed())
            #expect(shown.map(\.subject.name) == [nil, nil, nil, nil, "Regatta", "sailing", "Eve"])
            #expect(shown.map(\.subject.accountID) == [nil, nil, eve.id, eve.id, eve.id, eve.id, eve.id])

            // Suspended people are still shown to the operator, deleted ones are not.
            try await server.suspend(eve.id)
            #expect(try await list(server, as: admin).reports.map(\.subject.accountID) == shown.map(\.subject.accountID))
            try await server.restore(eve.id)
            #expect(try await server.send("POST", "/auth/delete", as: eve).status == 200)
            let left = try await list(server, as: admin).reports
            #expect(left.map(\.subject.name).compactMap { $0 }.contains("Eve") == false)
        }
    }

    @Test("a report is resolved once, with a note, and by whom; then it is in the other list", arguments: StoragePair.allCases)
    func resolving(_ pair: StoragePair) async throws {
        try await TestServer.run(pair) { server in
            let (ada, admin) = (try await server.person(), try await server.administrator())
            for number in 0..<3 { #expect(try await report(server, "user", "x\(number)", as: ada).status == 200) }
            let ids = try await list(server, as: admin).reports.map(\.id)
            server.clock.advance(by: .minutes(1))
            let answer = try await server.sendJSON("POST", "/admin/reports/\(ids[0])/resolve", ["note": "  Done.  "], as: admin)
            #expect(answer.status == 200, "\(answer.text)")
            let resolved = try Surface.capsules.makeDecoder().decode(AdminReport.self, from: answer.body)
            #expect(resolved.status == .resolved && resolved.resolvedBy == admin.id && resolved.note == "Done.")
            #expect(
                try answer.json()["resolved_at"] as? String == WireDate.format(microseconds: server.clock.now.microseconds, .microseconds))
            let again = try await server.send("POST", "/admin/reports/\(ids[0])/resolve", as: admin)
            #expect(again.status == 409, "\(again.text)")
            // The operator can also resolve a report with a request without a body, and with the command.
            #expect(try await server.send("POST", "/admin/reports/\(ids[1])/resolve", as: admin).status == 200)
            let byCommand = try await server.backend.features[PeopleFeature.self].reports.resolve(ids[2], note: "")
            #expect(byCommand.resolvedBy == nil && byCommand.note == nil && byCommand.status == .resolved)
            #expect(try await list(server, as: admin).reports == [])
            #expect(try await list(server, "?status=open", as: admin).reports == [])
            let closed = try await list(server, "?status=resolved", as: admin).reports
            #expect(closed.map(\.id) == ids && closed.first == resolved)

            // If many requests arrive at the same time, only one of them resolves the report.
            #expect(try await report(server, "user", "last", as: ada).status == 200)
            let last = try #require(try await list(server, as: admin).reports.first?.id)
            let statuses = try await withThrowingTaskGroup(of: Int.self) { group in
                for number in 0..<8 {
                    group.addTask {
                        try await server.sendJSON("POST", "/admin/reports/\(last)/resolve", ["note": "\(number)"], as: admin).status
                    }
                }
                return try await group.reduce(into: [Int: Int]()) { $0[$1, default: 0] += 1 }
            }
            #expect(statuses == [200: 1, 409: 7])

            // The reports stay when the administrator's account is deleted.
            #expect(try await server.send("POST", "/auth/delete", as: admin).status == 200)
            try await server.waitUntilErased(admin.id)
            let deputy = try await server.administrator("deputy")
            let kept = try await list(server, "?status=resolved", as: deputy).reports
            #expect(kept.count == 4 && kept.allSatisfy { $0.resolvedBy == nil })
        }
    }

    @Test("pages show each report that stays once, while reports are sent and resolved", arguments: StoragePair.allCases)
    func paging(_ pair: StoragePair) async throws {
        try await TestServer.run(pair) { server in
            let (ada, admin) = (try await server.person(), try await server.administrator())
            for number in 0..<9 {
                if number.isMultiple(of: 3) { server.clock.advance(by: .seconds(1)) }
                #expect(try await report(server, "event", "x\(number)", as: ada).status == 200)
            }
            let all = try await list(server, as: admin).reports.map(\.id)
            var shown: [String] = []
            var cursor: String?
            repeat {
                let page = try await list(server, "?limit=2" + (cursor.map { "&cursor=\($0)" } ?? ""), as: admin)
                shown += page.reports.map(\.id)
                if cursor == nil {
                    server.clock.advance(by: .seconds(1))
                    #expect(try await report(server, "event", "new", as: ada).status == 200)
                    // Resolves a report that was shown and one that was not.
                    for id in [all[0], all[8]] {
                        #expect(try await server.send("POST", "/admin/reports/\(id)/resolve", as: admin).status == 200)
                    }
                }
                cursor = page.nextCursor
            } while cursor != nil
            #expect(shown == all.dropLast())
            let next = try #require(try await list(server, "?limit=1", as: admin).nextCursor)
            #expect(try await server.send("GET", "/admin/reports?status=resolved&cursor=\(next)", as: admin).status == 400)
        }
    }

    @Test("every list and look-up is read by an index", arguments: StoragePair.allCases)
    func plans(_ pair: StoragePair) async throws {
        let key = TimeKey(at: Timestamp(seconds: 1), id: "r")
        let now = Timestamp(seconds: 1)
        let statements: [SQL] = [
            ReportStore.recent(of: "a", since: now), ReportStore.list(.open, after: key, limit: 21),
            ReportStore.list(.resolved, after: key, limit: 21), ReportStore.report("r"),
            ReportStore.resolve("r", by: "a", note: nil, now), ReportStore.people(["a", "b"]), ReportStore.photos(["a", "b"]),
            ReportStore.files(["a", "b"]),
        ]
        try await TestServer.run(pair, tables: nil) { server in
            for sql in statements {
                let plan = try await QueryPlan(sql, on: server.backend.database)
                #expect(!plan.steps.isEmpty && plan.faults.isEmpty, "\(plan)")
            }
            for (status, index) in [(ReportStatus.open, "report_open"), (.resolved, "report_resolved")] {
                let plan = try await QueryPlan(ReportStore.list(status, after: nil, limit: 21), on: server.backend.database)
                #expect(plan.faults(mayWalk: true).isEmpty && plan.uses(index), "\(plan)")
            }
        }
    }
}
