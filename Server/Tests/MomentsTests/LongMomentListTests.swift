import Core
import Database
import FeatureKit
import Foundation
import KeepsakeWire
import Media
import TestKit
import Testing

@testable import FeatureTestKit
@testable import Moments
@testable import keepsake

@Suite("Lists of moments with long notes")
struct LongMomentListTests {
    /// 40 KB: a note of the largest allowed length, in characters of four bytes.
    private static let note = String(repeating: "🌊", count: MomentRules.noteLength)

    /// Inserts moments of each kind.
    private static func fill(_ owner: String, _ count: Int, _ note: String?, _ server: TestServer) async throws {
        try await server.backend.database.write { tx in
            for kind in Moment.Kind.allCases {
                for number in 0..<count {
                    let time = Timestamp(seconds: 1_780_315_200 + Int64(number))
                    var moment = Moment(
                        id: "\(owner)-\(kind.rawValue)\(number)", owner: owner, kind: kind, createdAt: time, happenedAt: time,
                        category: "general", groupID: nil, tags: [])
                    if kind == .mood { moment.mood = "calm" } else { moment.title = "The lake" }
                    moment.note = note
                    try tx.send(Moment.table.insert(moment, with: ["row_bytes": moment.rowBytes]))
                }
            }
        }
    }

    private static func id(_ row: [String: Any]) -> String? {
        if let id = row["id"] as? String { return id }
        return ((row["kind"] as? String).flatMap { row[$0] } as? [String: Any])?["id"] as? String
    }

    @Test("a page ends at 2 MB, and its cursor continues after the last moment shown", arguments: Engine.allCases)
    func pages(_ engine: Engine) async throws {
        try await TestServer.run(engine) { server in
            let ada = try await server.person()
            try await Self.fill(ada.id, 60, Self.note, server)
            let lists = [("moods", "moods", 60), ("memories", "memories", 60), ("events", "events", 60), ("timeline", "items", 180)]
            for (list, key, count) in lists {
                let pages = try await server.longPages(of: "\(list)?limit=100", key, as: ada, id: Self.id)
                #expect(pages.dropLast().allSatisfy { 45...55 ~= $0.count }, "\(list): \(pages.map(\.count))")
                #expect(pages.flatMap { $0 }.count == count && Set(pages.flatMap { $0 }).count == count, "\(list)")
            }
            // A page of few entries shows their long notes in full.
            let few = try await server.send("GET", server.moments(ada, "timeline?limit=20"), as: ada).decode(TimelineResponse.self)
            #expect(few.items.count == 20 && few.items.first?.mood?.note == Self.note && few.pagination.nextCursor != nil)
        }
    }

    @Test("only a page with long texts takes a turn, and a short one takes one statement")
    func turns() async throws {
        try await TestServer.run(.sqlite) { server in
            let (ada, eve) = (try await server.person(), try await server.person("eve"))
            try await Self.fill(ada.id, 60, Self.note, server)
            try await Self.fill(eve.id, 60, "short", server)
            let recording = RecordingDatabase(server.backend.database)
            let real = server.backend.features[MomentsFeature.self].store
            let store = MomentStore(database: recording, library: real.library, search: real.search, events: real.events)
            let cases = [(ada, 100, 1, 3), (ada, 20, 1, 2), (ada, 1, 0, 1), (eve, 100, 0, 2), (eve, 20, 0, 1)]
            for (person, limit, turns, statements) in cases {
                let request = PageRequest<TimeKey>(after: nil, limit: limit)
                var taken = 0
                let memories = try await store.list(.memory, owner: person.id, .init(), request) { _ in taken += 1 }
                #expect(taken == turns, "\(limit)")
                #expect(recording.statements().count == statements, "\(limit)")
                taken = 0
                let links = real.library.links(of: person.id)
                let moods = try await store.moods(owner: person.id, .init(), request, links) { _ in taken += 1 }
                #expect(taken == turns, "\(limit)")
                #expect(recording.statements().count == statements, "\(limit)")
                #expect(memories.rows.count == moods.rows.count && (memories.next == nil) == (moods.next == nil))
                #expect(memories.rows.count == (person.id == ada.id ? min(limit, 52) : min(limit, 60)), "\(limit)")
            }
        }
    }

    @Test("the list of a timeline's entries reads no notes, if there may be many or only positions are wanted", arguments: Engine.allCases)
    func listed(_ engine: Engine) async throws {
        try await TestServer.run(engine, tables: nil) { server in
            let position = TimeKey(at: server.clock.now, id: "x")
            for columns in [MomentStore.lengths, MomentStore.positions] {
                for tag in [nil, "t"] {
                    for after in [nil, position] {
                        for kinds in [nil, ["mood"], ["event"]] as [Set<String>?] {
                            let statements = MomentStore.timelineStatements(
                                .init(owner: "o", from: nil, to: nil, tag: tag, kinds: kinds, after: after, limit: 21), columns: columns)
                            for statement in statements {
                                let text = statement.text { _ in "?" }
                                #expect(!text.contains("moment.note"))
                                let faults = try await QueryPlan(statement, on: server.backend.database).faults
                                #expect(faults == [])
                            }
                        }
                    }
                }
            }
        }
    }
}
