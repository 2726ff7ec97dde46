import Core
import Synchronization

/// Limits how many live events one account causes for members of its coves on one day (UTC), as far as the account can cause them again and
/// again: it can change its answer to an event, create events, or join and leave a cove, all the time. Each live event is an entry in the
/// event logs of all other members, and a device that has missed too many of them must load everything again.
///
/// Each node counts for itself, and in memory only.
final class CoveNoticeBudget: Sendable {
    static let maxDaily = 2_000
    /// The most accounts whose events are counted. With more, all counts begin anew.
    private static let maxCount = 20_000

    private struct State {
        /// Days since 1970.
        var day: Int64 = 0
        var counts: [String: Int] = [:]
    }

    private let limit: Int
    private let state = Mutex(State())

    /// - Parameter limit: the most events of an account on one day.
    init(limit: Int = CoveNoticeBudget.maxDaily) { self.limit = limit }

    /// Counts one more event.
    /// - Returns: `false`, and counts nothing, when the account has reached the limit.
    func spend(_ account: String, at now: Timestamp) -> Bool {
        let day = now.daysSince1970
        return state.withLock { state in
            if state.day != day || state.counts.count >= Self.maxCount { state = State(day: day) }
            let count = state.counts[account, default: 0]
            guard count < limit else { return false }
            state.counts[account] = count + 1
            return true
        }
    }
}
