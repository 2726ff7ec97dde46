package import Core
import Synchronization

/// Limits concurrent archives: exports of accounts, and files that people selected. Many archives may be open, because clients read slowly,
/// but few pieces are made at a time. An archive holds a turn only while the server reads the disk or the database for one piece, and not
/// while it sends the piece.
package final class ArchiveTurns: Sendable {
    /// The most open archives: of an account, of a network, and in total. Each holds a piece of a file or a page of rows, and the archive's
    /// directory, in memory. A quarter is reserved for networks that have no other open archive, so that a few networks with slow readers
    /// do not exclude everybody else.
    package static let openLimits = SharedBudget.Limits(total: 64, perAccount: 1, perNetwork: 8, reserve: 16, small: 1)
    /// Maximum number of pieces that are made concurrently.
    package static let limit = 2

    private let open = SharedBudget(openLimits)
    package let pieces = FairWork(
        FairSemaphore.Limits(permits: limit, permitsPerKey: 1, waiting: openLimits.total, waitingPerKey: openLimits.perAccount))
    private let started = Mutex<[String: ContinuousClock.Instant]>([:])

    package init() {}

    /// The right to make an archive. It ends when the response that holds it is released, even if that response is never sent.
    package final class Slot: Sendable {
        private let turns: ArchiveTurns
        private let share: SharedBudget.Share
        private let account: String
        private let requester: Requester

        fileprivate init(_ turns: ArchiveTurns, _ share: SharedBudget.Share, _ account: String, _ requester: Requester) {
            self.turns = turns
            self.share = share
            self.account = account
            self.requester = requester
        }

        deinit {
            turns.started.withLock { _ = $0.removeValue(forKey: account) }
            share.release()
        }

        /// Waits for the turn of the account and its network, then makes a piece of the archive.
        package func making<T>(_ piece: () async throws -> T) async throws -> T {
            let turn = try await turns.pieces.turn(requester)
            defer { turn.release() }
            return try await piece()
        }
    }

    /// - Parameter network: all networks of an IPv6 site count as one.
    /// - Throws: `.tooManyRequests` while the account has an open archive or its network has too many; `.unavailable` while too many are
    ///   open in total.
    package func begin(_ account: String, network: Network?) throws -> Slot {
        do {
            let requester = Requester(account: account, network: network?.site ?? network)
            let share = try open.share(1, of: requester)
            started.withLock { $0[account] = .now }
            return Slot(self, share, account, requester)
        } catch .account {
            throw Problem(
                .tooManyRequests, "The server is already sending an archive of yours. Wait until that download ends, or cancel it.",
                retryAfter: retryAfter(account))
        } catch .network {
            throw Problem(
                .tooManyRequests, "Too many archives are being sent to your network. Try again when one has ended.",
                retryAfter: .seconds(60))
        } catch .total {
            throw Problem(.unavailable, "The server sends as many archives as it can. Try again later.", retryAfter: .seconds(60))
        }
    }

    /// The number of open archives.
    package var count: Int { open.held }

    /// How long the caller should wait before a retry. The client's speed is unknown, so the remaining time of its download is estimated as
    /// the time that the download has taken so far.
    private func retryAfter(_ account: String) -> Duration {
        let start = started.withLock { $0[account] }
        return min(max(start.map { .now - $0 } ?? .zero, .seconds(5)), .seconds(600))
    }
}
