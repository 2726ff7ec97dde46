import Core
import Foundation
import KeepsakeWire
import TestKit
import TestThreads
import Testing

@testable import FeatureTestKit
@testable import keepsake

/// Sends 300 entries and 140 questions to the whole server. The bars: for 90 % of the questions that share a telling word, name or day with
/// the right source, this source is among the first three. At most 2 of 40 unanswerable questions get an answer.
@Suite("Quality: asking", .blocksThreads)
struct AskQualityTests {
    /// 2026-11-22T12:00:00Z
    private static let now = Timestamp(seconds: 1_795_348_800)

    private struct Count {
        var right = 0
        var all = 0
    }

    @Test("questions find their sources, and questions without an answer find none")
    func asking() async throws {
        let entries = try LabelledSet("entries.txt").all
        let questions = try LabelledSet("questions.txt")
        #expect(entries.count == 300 && questions.all.count == 140)
        try await TestServer.run(.sqlite, clock: TestClock(Self.now)) { server in
            let ada = try await server.person()
            var numbers: [String: String] = [:]
            for entry in entries {
                let head = entry[0].split(separator: " ")
                let answer = try await server.create(
                    "events", [("title", entry[1]), ("date", "\(head[1])T\(head[2]):00Z")], as: ada)
                try #require(answer.status == 200, "\(entry): \(answer.text)")
                let id = try #require(try Self.id(in: try answer.json()))
                numbers[id] = String(head[0])
            }
            var unanswerable = Count()
            for half in LabelledSet.Half.allCases {
                var counts: [String: Count] = [:]
                for fields in questions.half(half) {
                    let answer = try await server.sendJSON("POST", server.moments(ada, "ask"), ["text": fields[2]], as: ada)
                    try #require(answer.status == 200, "\(fields[2]): \(answer.text)")
                    let found = try answer.decode(AskResponse.self)
                    let sources = found.sources.prefix(3).compactMap { numbers[$0.id] }
                    let wanted = Set(fields[1].split(separator: ",").map(String.init))
                    counts[fields[0], default: Count()].all += 1
                    let isRight = fields[0] == "none" ? !found.sources.isEmpty : sources.contains { wanted.contains($0) }
                    if isRight { counts[fields[0]]?.right += 1 }
                }
                let (shares, others, none) = (
                    counts["shares"] ?? Count(), counts["paraphrase"] ?? Count(), counts["none"] ?? Count()
                )
                unanswerable.right += none.right
                unanswerable.all += none.all
                QualityTable.row("asking: shared words", half, "\(shares.right) of \(shares.all) find their source", bar: "90 %")
                QualityTable.row("asking: paraphrases", half, "\(others.right) of \(others.all) find their source", bar: "none")
                QualityTable.row("asking: unanswerable", half, "\(none.right) of \(none.all) are answered", bar: "2 of 40")
                if half == .judge { #expect(10 * shares.right >= 9 * shares.all) }
            }
            #expect(unanswerable.all == 40 && unanswerable.right <= 2)
        }
    }

    /// The id of the created event, wherever the response nests it.
    private static func id(in object: Any) throws -> String? {
        guard let object = object as? [String: Any] else { return nil }
        if let id = object["id"] as? String { return id }
        for (_, value) in object.sorted(by: { $0.key < $1.key }) { if let id = try id(in: value) { return id } }
        return nil
    }
}
