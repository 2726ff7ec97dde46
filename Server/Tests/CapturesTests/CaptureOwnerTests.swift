import Core
import Database
import Foundation
import KeepsakeWire
import TestKit
import TestThreads
import Testing

@testable import Captures
@testable import FeatureTestKit
@testable import keepsake

@Suite("Owners in the statements of captures", .blocksThreads)
struct CaptureOwnerTests {
    /// Statements that name no owner, and why.
    private static let exempt: [(text: String, why: String)] = [
        ("SELECT hash FROM capture_tombstone WHERE hash IN ", "a hash is of an owner and an id"),
        ("DELETE FROM capture_tombstone WHERE hash IN ( SELECT hash FROM capture_tombstone WHERE expires_at", "upkeep of all accounts"),
        ("SELECT id, owner FROM contact WHERE merged_into = ", "upkeep of all accounts"),
    ]

    /// - Returns: the statement's text if it mentions one of the tables without a condition on the rows' owner, otherwise `nil`.
    private static func unowned(_ sql: SQL, _ tables: [String]) -> String? {
        let text = sql.text { "$\($0)" }.split(whereSeparator: \.isWhitespace).joined(separator: " ")
        guard !exempt.contains(where: { text.hasPrefix($0.text) }) else { return nil }
        var mentions = 0
        for match in text.matches(of: /(FROM|JOIN|UPDATE|INSERT INTO) ([a-z_]+)/) where tables.contains(String(match.2)) {
            // An INSERT that names the owner needs no condition. The UPDATE of an upsert changes only the row of the inserted key, which
            // begins with the owner.
            let names = text.contains(/INSERT INTO [a-z_]+ \([^)]*\bowner\b/.wordBoundaryKind(.simple))
            mentions += match.1 == "INSERT INTO" && names ? 0 : 1
        }
        // Uses simple word boundaries, because Unicode's rules see no boundary before "owner" in "capture.owner".
        let conditions = text.matches(of: /\bowner\s=\s/.wordBoundaryKind(.simple)).count
        return conditions < mentions ? text : nil
    }

    @Test("every statement about captures, contacts and summaries names the owner of each table's rows")
    func statements() async throws {
        let record = StatementRecord()
        try await TestServer.run(.embedded, record: record) { server in
            let ada = try await server.person()
            try await Self.useEverything(server, ada)
            try await server.settle()
        }
        let tables = CapturesFeature.personalTables.map(\.name)
        let statements = record.statements
        let texts = statements.map { statement in statement.text { "$\($0)" } }
        for table in tables {
            let isUsed = texts.contains { $0.contains(table) }
            #expect(isUsed, "no statement about \(table) was sent")
        }
        let faults = Set(statements.compactMap { Self.unowned($0, tables) })
        #expect(faults.isEmpty, "\(faults.sorted().joined(separator: "\n"))")
        // Control: the check finds what it looks for.
        #expect(Self.unowned("DELETE FROM contact WHERE merged_into = \("x")", tables) != nil)
        #expect(
            Self.unowned("SELECT id FROM capture WHERE owner = \("x") AND id IN (SELECT capture FROM contact_mention)", tables) != nil)
    }

    /// Uses the feature's routes and jobs.
    private static func useEverything(_ server: TestServer, _ ada: TestServer.Person) async throws {
        func ask(_ method: String, _ path: String, _ body: [String: Any]? = nil) async throws {
            let answer =
                if let body { try await server.sendJSON(method, path, body, as: ada) } else { try await server.send(method, path, as: ada) }
            #expect(answer.status == 200, "\(method) \(path): \(answer.text)")
        }
        func id(_ name: String) async throws -> String {
            try #require(try await server.contacts(as: ada).first { $0.name == name }?.id)
        }
        let client = try CaptureClient(server, ada)
        #expect(try await server.uploadCapture("a", "photo.jpg", as: ada).status == 200)
        #expect(try await server.uploadCapture("a", "photo.jpg", as: ada).status == 200)
        for (number, words) in [
            "Just met with John.", "Lunch with Maria.", "Just met with Nina and John.", "Tea with Ada and Grace.",
        ].enumerated() {
            try client.take("abcd".map(String.init)[number], at: "2026-05-01T08:0\(number):00Z", words)
        }
        try client.take("a", at: "2026-05-01T08:00:00Z", "Just met with John.", audio: "https://elsewhere.example/a.m4a")
        for capture in ["a", "b", "c", "d"] { _ = try await server.processed(capture, as: ada) }
        try await eventually {
            server.clock.advance(by: .seconds(31))
            try await server.settle()
            return try await server.days(as: ada).first?.totalCaptures == 4
        }
        try await ask("GET", "/captures")
        try await ask("GET", "/captures?date=2026-05-01")
        try await ask("GET", "/captures?contact=\(try await id("John"))")
        try await ask("GET", "/memories/\(ada.id)/2026-05-01")
        try await ask("GET", "/summaries/hourly?date=2026-05-01")
        try await ask("GET", "/api/users/user/\(ada.id)/timeline")
        try await ask("GET", "/api/users/user/\(ada.id)/search?q=lunch")
        try await ask("GET", "/raw-media/\(ada.id)/memories/a/photo.jpg")
        try await ask("PATCH", "/contacts/known/\(try await id("John"))", ["name": "Johnny", "bestFacePhoto": "a"])
        try await ask("POST", "/contacts/known/\(try await id("Johnny"))/split", ["captureIds": ["c"], "name": "John Smith"])
        try await ask("POST", "/contacts/known/\(try await id("Nina"))/merge", ["into": try await id("Maria")])
        try await ask("DELETE", "/contacts/known/\(try await id("Maria"))")
        try await ask("PATCH", "/captures/b", ["transcription": "Lunch with Grace."])
        _ = try await server.processed("b", as: ada)
        let row = try await server.backend.database.read { tx in
            try tx.row("SELECT media FROM capture_file WHERE owner = \(ada.id) AND capture = 'a'")
        }
        try await ask("DELETE", "/api/users/user/\(ada.id)/multimedia/\(try #require(row?.get("media", as: String?.self)))")
        _ = try await server.processed("a", as: ada)
        try await ask("DELETE", "/captures/d")
        try await ask("DELETE", "/captures?from=2026-05-01&to=2026-05-02")
    }
}
