import Core
import Database
import FeatureKit
import Foundation
import TestKit
import TestThreads
import Testing

@testable import Ask
@testable import FeatureTestKit
@testable import keepsake

@Suite("Entries that questions read", .blocksThreads)
struct AskEntriesTests {
    /// 2026-11-22T12:00:00Z
    private static let now = Timestamp(seconds: 1_795_348_800)

    /// The ids of entries.
    private struct Noted: Sendable {
        var read: [String] = []
        var rendered: [String] = []
    }

    /// Wraps a kind of entries so that it records what is read and rendered.
    /// - Parameter byteCount: the length of each entry.
    private static func noting(_ kind: EntryKind, byteCount: Int64, _ noted: Guarded<Noted>) -> EntryKind {
        EntryKind(
            kind.names, list: { request, tx in try kind.list?(request, tx) ?? [] }, lengths: { _, _, _ in [:] },
            entries: { ids, owner, tx in
                let entries = try kind.entries(ids, owner, tx)
                noted.withLock { noted in noted.read += entries.map { $0.position.id } }
                return entries.map { entry in
                    EntryKind.Entry(position: entry.position, kind: entry.kind, byteCount: byteCount) {
                        noted.withLock { noted in noted.rendered.append(entry.position.id) }
                        return entry.item
                    }
                }
            })
    }

    @Test("a question reads a day's entries that it offers, and renders those that it quotes", arguments: [100, 1 << 20] as [Int64])
    func ofADay(_ byteCount: Int64) async throws {
        try await TestServer.run(.sqlite, clock: TestClock(Self.now)) { server in
            let ada = try await server.person()
            for minute in 10..<30 {
                let fields = [("title", "The parrot said word \(minute)."), ("date", "2026-11-21T09:\(minute):00Z")]
                try #require(try await server.create("events", fields, as: ada).status == 200)
            }
            let own = server.backend.features[AskFeature.self].answers
            let noted = Guarded(Noted())
            let kinds = own.store.kinds.map { Self.noting($0, byteCount: byteCount, noted) }
            let answers = Answers(
                store: AskStore(database: own.store.database, kinds: kinds), engines: own.engines, allowsOutside: own.allowsOutside,
                timeZone: own.timeZone, people: own.people, neighbours: nil, clock: own.clock, work: own.work)
            let answer = try await Requester(account: ada.id, network: Network(ipv4: 1)).run {
                try await answers.answer("What did I do yesterday?", for: ada.id).answer
            }
            let ids = try #require(answer).sources.map(\.id)
            #expect(ids.count == AskRules.offeredCount)
            #expect(noted.value.read.sorted() == ids.sorted() && noted.value.rendered.sorted() == ids.sorted(), "\(noted.value)")
            #expect(answers.choosing.counts == (0, 0))
        }
    }
}
