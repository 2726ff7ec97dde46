import Core
import Database
import Foundation
import KeepsakeWire
import TestKit
import Testing

@testable import FeatureTestKit
@testable import Moments
@testable import keepsake

@Suite("Statistics of very many different moods")
struct MoodStatisticsTests {
    /// 2026-06-01T12:00:00Z.
    private static let start = Timestamp(seconds: 1_780_315_200)

    private static func tally(_ mood: String, _ count: Int, day: Int = 0) -> MomentStore.Tally {
        MomentStore.Tally(quarter: start + .days(Int64(day)), mood: mood, count: count, intensitySum: 8 * count, intensityCount: count)
    }

    /// A name of 244 bytes.
    private static func name(_ number: Int) -> String { String(repeating: "🌊", count: 60) + String(1_000 + number) }

    @Test("a response names the 1,000 most frequent moods, and counts all")
    func limited() throws {
        var tallies = (0..<1_500).map { Self.tally("mood \($0)", $0 < 1_000 ? 2 : 1) }
        tallies += [Self.tally("rare b", 1, day: 1), Self.tally("rare a", 1, day: 1)]
        let response = MoodStatistics(tallies, in: .gmt).response
        #expect(response.count == 2_502 && response.meanIntensity == 8)
        #expect(response.moods.count == 1_000 && response.moods.allSatisfy { $0.count == 2 })
        #expect(response.days.map(\.date) == ["2026-06-01", "2026-06-02"] && response.days.map(\.count) == [2_500, 2])
        let first = try #require(response.days.first)
        #expect(first.moods == response.moods)
        // None of this day's moods is among the 1,000; the response still names one.
        #expect(response.days.last?.moods.map(\.mood) == ["rare a"])
    }

    @Test("a response with long moods on many days names fewer, and is at most 4 MB long")
    func long() throws {
        // The first moods are the most frequent. A response with all of them would take 6 MB.
        let names = (0..<200).map(Self.name)
        var tallies: [MomentStore.Tally] = []
        for day in 0..<100 {
            for (number, name) in names.enumerated() { tallies.append(Self.tally(name, 300 - number, day: day)) }
        }
        let statistics = MoodStatistics(tallies, in: .gmt)
        let response = statistics.response
        let byteCount = try JSONEncoder().encode(response).count
        #expect(byteCount <= statistics.byteCount && statistics.byteCount <= MoodStatistics.byteLimit)
        #expect(byteCount > 3_000_000, "\(byteCount)")
        #expect(100..<200 ~= response.moods.count)
        #expect(response.moods.map(\.mood) == Array(names.prefix(response.moods.count)))
        #expect(response.days.count == 100 && response.days.allSatisfy { $0.moods.count == response.moods.count })
        #expect(response.count == tallies.reduce(0) { $0 + $1.count })
    }

    /// Regression: the most frequent mood of each day was counted twice, so only nine moods a day fitted.
    @Test("ten moods a day with names of 40 bytes fit for ten years")
    func tenYears() throws {
        let names = (0..<10).map { String(repeating: "m", count: 39) + String($0) }
        let tallies = (0..<3_660).flatMap { day in names.map { Self.tally($0, 1, day: day) } }
        let statistics = MoodStatistics(tallies, in: .gmt)
        #expect(statistics.byteCount <= MoodStatistics.byteLimit)
        let response = statistics.response
        #expect(response.moods.map(\.mood) == names)
        #expect(response.days.count == 3_660 && response.days.allSatisfy { $0.moods.count == 10 })
        #expect(try JSONEncoder().encode(response).count <= statistics.byteCount)
    }

    @Test("the reserved length covers moods that JSON escapes")
    func escaped() throws {
        let tallies = (0..<500).map { Self.tally(String(repeating: "\"\\", count: 30) + String($0), 1_000_000) }
        let statistics = MoodStatistics(tallies, in: .gmt)
        #expect(try JSONEncoder().encode(statistics.response).count <= statistics.byteCount)
        #expect(statistics.response.moods.count == 500)
    }

    @Test("1,200 different moods are counted over HTTP, and the store reads no more counts than its limit", arguments: Engine.allCases)
    func served(_ engine: Engine) async throws {
        try await TestServer.run(engine) { server in
            let ada = try await server.person()
            try await server.backend.database.write { tx in
                for number in 0..<1_200 {
                    let time = Self.start + .seconds(number / 2)
                    var moment = Moment(
                        id: "\(ada.id)-\(number)", owner: ada.id, kind: .mood, createdAt: time, happenedAt: time, category: "general",
                        groupID: nil, tags: [])
                    moment.mood = Self.name(number)
                    try tx.send(Moment.table.insert(moment, with: ["row_bytes": moment.rowBytes]))
                }
            }
            let answer = try await server.send("GET", server.moments(ada, "moods/stats?from=2026-06-01&to=2026-06-01"), as: ada)
            try #require(answer.status == 200, "\(answer.text.prefix(200))")
            let statistics = try answer.decode(MoodStatisticsResponse.self)
            #expect(statistics.count == 1_200 && statistics.moods.count == 1_000 && statistics.days.map(\.count) == [1_200])
            #expect(statistics.moods.first?.mood == Self.name(0) && statistics.days.first?.moods == statistics.moods)
            #expect(answer.body.count < 700_000)

            let store = server.backend.features[MomentsFeature.self].store
            let end = Self.start + .days(1)
            #expect(try await store.tallies(owner: ada.id, from: Self.start, to: end, limit: 1_200)?.count == 1_200)
            #expect(try await store.tallies(owner: ada.id, from: Self.start, to: end, limit: 1_199) == nil)
        }
    }
}
