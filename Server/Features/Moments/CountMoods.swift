import Core
import Foundation
import KeepsakeWire
import Web

/// `GET /api/users/user/{userId}/moods/stats`: for each day and mood, the number of entries and the mean intensity.
struct CountMoods: Sendable {
    let store: MomentStore
    let clock: WallClock
    /// Reads the time zone of an account. The account's days begin in it unless the request names another.
    let timeZone: @Sendable (_ account: String) async throws -> TimeZone
    /// Limits how many requests count moods at a time, because ten years may hold tens of thousands of moods. Accounts and networks take
    /// turns.
    let work = FairWork(
        FairSemaphore.Limits(
            permits: 2, permitsPerKey: 1, permitsPerNetwork: 1, waiting: 256, waitingPerKey: 8, waitingPerNetwork: 64))

    func handle(_ input: MoodStatisticsInput, _ context: WebContext) async throws -> MoodStatisticsResponse {
        let owner = try context.requireViewer().accountID
        let zone = if let name = input.timeZone { try Self.zone(name) } else { try await timeZone(owner) }
        let range = try TimeRange.parse(from: input.from, to: input.to, in: zone, moment: WireDate.parseMicroseconds)
        let to = range.to ?? (range.from.map { $0 + Self.usual } ?? clock.now + .microseconds(1))
        let from = range.from ?? to - Self.usual
        guard to - from <= Self.longest else { throw Problem(.invalid, "from and to are more than ten years apart.", field: "from") }
        // Requests that count moods take turns. While a request waits for its turn, it holds no admission slot, so other requests can use
        // the slot.
        let (turn, statistics) = try await context.withoutSlot {
            let turn = try await work.turn()
            guard let tallies = try await store.tallies(owner: owner, from: from, to: to) else { throw Self.tooMany }
            return (turn, try await work.compute { MoodStatistics(tallies, in: zone) })
        }
        // The turn lasts until the response is made, so that only a few requests hold counts in memory.
        defer { turn.release() }
        if statistics.byteCount > LongWork.byteCount { try await context.waitForTurn(toMake: Int64(statistics.byteCount)) }
        return statistics.response
    }

    private static let usual: Duration = .days(30)
    private static let longest: Duration = .days(3_660)
    private static let tooMany = Problem(
        .invalid, "There are too many moods between from and to. Ask for a shorter time.", field: "from")

    private static func zone(_ name: String) throws -> TimeZone {
        guard let zone = ZoneName.zone(named: name) else {
            throw Problem(.invalid, "timeZone must be an IANA name, for example Europe/Berlin, or UTC.", field: "timeZone")
        }
        return zone
    }
}
