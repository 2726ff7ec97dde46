import Core
import Database
import Foundation
import TestKit
import TestThreads
import Testing

@testable import FeatureTestKit
@testable import keepsake

@Suite("Deletion of many captures", .blocksThreads)
struct CaptureDeletionTests {
    @Test("a write removes at most 256 KB of the texts of deleted captures")
    func parts() async throws {
        let record = StatementRecord()
        // 99 KB in one word: two fit in one write.
        let text = String(repeating: "a", count: 99_000)
        let ids = (1...3).map { "c\($0)" }
        try await TestServer.run(.embedded, record: record) { server in
            let ada = try await server.person()
            let client = try CaptureClient(server, ada)
            for id in ids {
                let reply = try client.take(id, at: "2026-05-01T08:00:00Z", text)
                #expect(reply["type"] as? String == "ack", "\(reply)")
            }
            let answer = try await server.send("DELETE", "/captures?from=2026-05-01&to=2026-05-02", as: ada)
            #expect(answer.text == #"{"deleted":3}"#)
        }
        // Before each write, the server reads which captures it deletes.
        var writes: [[String]] = []
        for statement in record.all {
            if statement.text.hasPrefix("SELECT id, row_bytes FROM capture") { writes.append([]) }
            guard statement.text.hasPrefix("DELETE FROM capture WHERE"), !writes.isEmpty else { continue }
            if case .text(let id)? = statement.sql.values.last { writes[writes.count - 1].append(id) }
        }
        #expect(writes.joined().sorted() == ids, "\(writes)")
        for write in writes { #expect(write.count * text.utf8.count <= 262_144, "\(writes)") }
    }
}
