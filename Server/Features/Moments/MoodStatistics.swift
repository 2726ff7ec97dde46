import Core
import Foundation
import KeepsakeWire

/// Adds tallies of quarters of an hour up to days. Chooses the moods that a response names, so that it does not become too long. Pure.
struct MoodStatistics: Sendable {
    /// The most different moods that a response names. A day with none of them names its most frequent mood.
    static let moodLimit = 1_000
    /// The most bytes of a response. A response that would need more names fewer moods. Ten moods a day with names of 40 bytes fit for ten
    /// years.
    static let byteLimit = 4_000_000

    private let zone: TimeZone
    private let days: [TimeRange.Day: [String: Sum]]
    /// The moods that the response names.
    private let named: [String: Sum]
    private let whole: Sum
    /// The length of the response in bytes, or a little more.
    let byteCount: Int

    init(_ tallies: [MomentStore.Tally], in zone: TimeZone) {
        var dayOfQuarter: [Timestamp: TimeRange.Day] = [:]
        var days: [TimeRange.Day: [String: Sum]] = [:]
        var all: [String: Sum] = [:]
        for tally in tallies {
            let day = dayOfQuarter[tally.quarter] ?? TimeRange.Day(tally.quarter, in: zone)
            dayOfQuarter[tally.quarter] = day
            days[day, default: [:]][tally.mood, default: Sum()].add(tally)
            all[tally.mood, default: Sum()].add(tally)
        }
        var daysOf: [String: [TimeRange.Day]] = [:]
        // The days of which no mood is named yet. Such a day names its most frequent mood; the value is the length of that mood's entry.
        var unnamed: [TimeRange.Day: Int] = [:]
        var byteCount = Self.frameByteCount
        for (day, moods) in days {
            for mood in moods.keys { daysOf[mood, default: []].append(day) }
            let length = Self.mostFrequent(moods).map { Self.byteCount(ofMood: $0.key) } ?? 0
            unnamed[day] = length
            byteCount += Self.dayByteCount + length
        }
        var named: [String: Sum] = [:]
        for (mood, sum) in Self.ranked(all).prefix(Self.moodLimit) {
            let itsDays = daysOf[mood, default: []]
            let replaced = itsDays.reduce(0) { $0 + unnamed[$1, default: 0] }
            let more = Self.byteCount(ofMood: mood) * (1 + itsDays.count) - replaced
            guard byteCount + more <= Self.byteLimit else { break }
            byteCount += more
            named[mood] = sum
            for day in itsDays { unnamed[day] = nil }
        }
        self.zone = zone
        self.days = days
        self.named = named
        self.byteCount = byteCount
        whole = all.values.reduce(Sum(), +)
    }

    /// All sums include the moods that the response does not name.
    var response: MoodStatisticsResponse {
        MoodStatisticsResponse(
            count: whole.count, meanIntensity: whole.meanIntensity, moods: Self.listed(named),
            days: days.sorted { $0.key < $1.key }.map { day, moods in
                let sum = moods.values.reduce(Sum(), +)
                var shown = moods.filter { named[$0.key] != nil }
                if shown.isEmpty, let first = Self.mostFrequent(moods) { shown[first.key] = first.value }
                return MoodStatisticsResponse.Day(
                    date: day.description, count: sum.count, meanIntensity: sum.meanIntensity, moods: Self.listed(shown))
            },
            timeZone: ZoneName.name(of: zone))
    }

    private static func listed(_ moods: [String: Sum]) -> [MoodStatisticsResponse.Tally] {
        ranked(moods).map { .init(mood: $0.key, count: $0.value.count, meanIntensity: $0.value.meanIntensity) }
    }

    // MARK: Order

    private typealias Entry = (key: String, value: Sum)

    /// The moods, the most frequent first.
    private static func ranked(_ moods: [String: Sum]) -> [Entry] { moods.sorted(by: isBefore) }

    private static func mostFrequent(_ moods: [String: Sum]) -> Entry? { moods.min(by: isBefore) }

    private static func isBefore(_ a: Entry, _ b: Entry) -> Bool { (b.value.count, a.key) < (a.value.count, b.key) }

    // MARK: Bytes

    /// The length of the response without the elements of its lists.
    private static let frameByteCount = 200
    /// The length of `{"date":"2026-12-31","count":1,"meanIntensity":7.5,"moods":[]},` with a long count.
    private static let dayByteCount = 90
    /// The length of `{"mood":"","count":1,"meanIntensity":7.5},` with a long count.
    private static let tallyByteCount = 60

    /// The length of a mood's entry. JSON escapes quotes, backslashes and control characters.
    private static func byteCount(ofMood mood: String) -> Int {
        var count = tallyByteCount
        for byte in mood.utf8 {
            switch byte {
            case 0x22, 0x5C: count += 2
            case 0..<0x20: count += 6
            default: count += 1
            }
        }
        return count
    }

    private struct Sum: Sendable {
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
