import Core
import Foundation
import KeepsakeWire
import Web

/// `GET /api/users/user/{userId}/moods/stats`: for each day and mood, the number of entries and the mean intensity.
struct CountMoods: Sendable {
    let store: MomentStore
    let clock: WallClock
    /// Reads the time zone of an account, in which its days begin unless the request names another.
    let timeZone: @Sendable (_ account: String) async throws -> TimeZone
    /// Limits how many requests aggregate at a time, since ten years may hold hundreds of thousands of moods. Permits are shared fairly
    /// among accounts and networks.
    let work = FairWork(
        "statistics",
        FairSemaphore.Limits(
            permits: 2, permitsPerKey: 1, permitsPerNetwork: 1, waiting: 256, waitingPerKey: 8, waitingPerNetwork: 64))

    func handle(_ input: MoodStatisticsInput, _ context: WebContext) async throws -> MoodStatisticsResponse {
        let owner = try context.requireViewer().accountID
        let zone = if let name = input.timeZone { try Self.zone(name) } else { try await timeZone(owner) }
        let range = try TimeRange.parse(from: input.from, to: input.to, in: zone, moment: WireDate.parseMicroseconds)
        let to = range.to ?? (range.from.map { $0 + Self.usual } ?? clock.now + .microseconds(1))
        let from = range.from ?? to - Self.usual
        guard to - from <= Self.longest else { throw Problem(.invalid, "from and to are more than ten years apart.", field: "from") }
        // The request gives its slot back while it waits, as a search does.
        return try await context.withoutSlot {
            let turn = try await work.turn()
            defer { turn.release() }
            let tallies = try await store.tallies(owner: owner, from: from, to: to)
            return try await work.compute { MoodStatistics.count(tallies, in: zone) }
        }
    }

    private static let usual: Duration = .days(30)
    private static let longest: Duration = .days(3_660)

    private static func zone(_ name: String) throws -> TimeZone {
        guard let zone = ZoneName.zone(named: name) else {
            throw Problem(.invalid, "timeZone must be an IANA name, for example Europe/Berlin, or UTC.", field: "timeZone")
        }
        return zone
    }
}

/// Aggregates quarters of an hour into days. Pure functions.
enum MoodStatistics {
    static func count(_ tallies: [MomentStore.Tally], in zone: TimeZone) -> MoodStatisticsResponse {
        var days: [TimeRange.Day: [String: Sum]] = [:]
        var all: [String: Sum] = [:]
        for tally in tallies {
            days[TimeRange.Day(tally.quarter, in: zone), default: [:]][tally.mood, default: Sum()].add(tally)
            all[tally.mood, default: Sum()].add(tally)
        }
        let whole = all.values.reduce(Sum(), +)
        return MoodStatisticsResponse(
            count: whole.count, meanIntensity: whole.meanIntensity, moods: listed(all),
            days: days.sorted { $0.key < $1.key }.map { day, moods in
                let sum = moods.values.reduce(Sum(), +)
                return .init(date: day.description, count: sum.count, meanIntensity: sum.meanIntensity, moods: listed(moods))
            },
            timeZone: ZoneName.name(of: zone))
    }

    private static func listed(_ moods: [String: Sum]) -> [MoodStatisticsResponse.Tally] {
        moods.sorted { ($1.value.count, $0.key) < ($0.value.count, $1.key) }
            .map { .init(mood: $0.key, count: $0.value.count, meanIntensity: $0.value.meanIntensity) }
    }

    private struct Sum {
        var count = 0
        var intensitySum = 0
        var intensityCount = 0

        mutating func add(_ tally: MomentStore.Tally) {
            count += tally.count
            intensitySum += tally.intensitySum
            intensityCount += tally.intensityCount
        }

        static func + (a: Sum, b: Sum) -> Sum {
            Sum(
                count: a.count + b.count, intensitySum: a.intensitySum + b.intensitySum, intensityCount: a.intensityCount + b.intensityCount
            )
        }

        /// Rounded to two decimals.
        var meanIntensity: Double? {
            intensityCount == 0 ? nil : (Double(intensitySum) / Double(intensityCount) * 100).rounded() / 100
        }
    }
}
