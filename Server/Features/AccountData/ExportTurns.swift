import Core
import Synchronization

/// Which archives are made at the same time. Many may be open, since clients read slowly; few read the disk and the database at a time, and
/// only while they do: a turn covers the making of one piece, not the sending of it.
final class ExportTurns: Sendable {
    /// Archives that are open: of an account, of a network, and in all. Each holds a piece of a file and the archive's directory in memory.
    static let openLimits = SharedBudget.Limits(total: 64, perAccount: 1, perNetwork: 8)
    /// Pieces that are made at a time.
    static let limit = 2

    private let open = SharedBudget(openLimits)
    let pieces = FairWork(
        "export",
        FairSemaphore.Limits(permits: limit, permitsPerKey: 1, waiting: openLimits.total, waitingPerKey: openLimits.perAccount))
    private let started = Mutex<[String: ContinuousClock.Instant]>([:])

    /// The right to make an archive. Ends with the answer it is held by, also with one that is never sent.
    final class Place: Sendable {
        private let turns: ExportTurns
        private let share: SharedBudget.Share
        private let account: String

        fileprivate init(_ turns: ExportTurns, _ share: SharedBudget.Share, _ account: String) {
            self.turns = turns
            self.share = share
            self.account = account
        }

        deinit {
            turns.started.withLock { _ = $0.removeValue(forKey: account) }
            share.release()
        }

        /// Makes a piece of the archive when it is the account's turn.
        func making<T>(_ piece: () async throws -> T) async throws -> T {
            let turn = try await turns.pieces.turn(Requester(account: account, network: nil))
            defer { turn.release() }
            return try await piece()
        }
    }

    /// - Throws: `.tooManyRequests` while another archive of the account or too many of its network are open, `.unavailable` while too many
    ///   are in all.
    func begin(_ account: String, network: Network?) throws -> Place {
        do {
            let share = try open.share(1, of: Requester(account: account, network: network))
            started.withLock { $0[account] = .now }
            return Place(self, share, account)
        } catch .account {
            throw Problem(
                .tooManyRequests, "Your archive is being sent already. Wait until that download ends, or end it.",
                retryAfter: retryAfter(account))
        } catch .network {
            throw Problem(.tooManyRequests, "Too many archives are being sent to your network.", retryAfter: .seconds(60))
        } catch .total {
            throw Problem(.unavailable, "Too many archives are being sent.", retryAfter: .seconds(60))
        }
    }

    /// Archives that are open.
    var count: Int { open.held }

    /// Nobody knows how fast a client will read. What has taken long already will take long: as long again is the best guess.
    private func retryAfter(_ account: String) -> Duration {
        let start = started.withLock { $0[account] }
        return min(max(start.map { .now - $0 } ?? .zero, .seconds(5)), .seconds(600))
    }
}
