import Core
import Synchronization

/// How many archives are made at once: each reads the disk as fast as its client takes it.
final class ExportTurns: Sendable {
    static let limit = 2

    private let accounts = Mutex<Set<String>>([])

    /// Ends with the answer it is held by, also with one that is never sent.
    final class Turn: Sendable {
        private let turns: ExportTurns
        private let account: String

        fileprivate init(_ turns: ExportTurns, _ account: String) {
            self.turns = turns
            self.account = account
        }

        deinit { turns.leave(account) }
    }

    /// - Throws: `.tooManyRequests` while another archive of the same account is made, `.unavailable` while those of others are.
    func take(_ account: String) throws -> Turn {
        try accounts.withLock { accounts in
            guard !accounts.contains(account) else {
                throw Problem(.tooManyRequests, "Your archive is being made already.", retryAfter: .seconds(30))
            }
            guard accounts.count < Self.limit else {
                throw Problem(.unavailable, "Archives of others are being made. Come back shortly.", retryAfter: .seconds(30))
            }
            accounts.insert(account)
        }
        return Turn(self, account)
    }

    var count: Int { accounts.withLock { $0.count } }

    private func leave(_ account: String) { accounts.withLock { _ = $0.remove(account) } }
}
