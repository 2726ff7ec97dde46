import Accounts
import Core
import Database
import Web

/// Deletes accounts again that were deleted after a backup was made, and that the restore of this backup has brought back.
package struct RepeatDeletions: Sendable {
    let accounts: AccountsFeature
    let operations: AccountOperations
    let close: CloseAccount

    /// Closes the accounts in the order of their deletions, so that each cove goes to the member who got it then, or ends as it did; the
    /// server erases their data when it runs.
    /// - Parameter deletions: at most one of each account, in any order.
    /// - Returns: the number of accounts closed. It is safe to repeat.
    package func callAsFunction(_ deletions: [DeletionLog.Deletion]) async throws -> Int {
        let deletions = Dictionary(uniqueKeysWithValues: deletions.map { ($0.hash, $0) })
        let found = try await openAccounts(among: deletions).sorted { ($0.deletion.at, $0.account.id) < ($1.deletion.at, $1.account.id) }
        for (account, deletion) in found {
            // It was suspended when the backup was made. Then its owner deleted it after it was restored, or the operator deleted it.
            if account.isSuspended { _ = try await operations.perform(.restore, on: account.id) }
            try await close(account.id, keepsCoves: deletion.keepsCoves, at: deletion.at)
        }
        return found.count
    }

    private func openAccounts(
        among deletions: [String: DeletionLog.Deletion]
    ) async throws -> [(account: OpenAccount, deletion: DeletionLog.Deletion)] {
        var found: [(account: OpenAccount, deletion: DeletionLog.Deletion)] = []
        guard !deletions.isEmpty else { return found }
        var last = ""
        while true {
            let page = try await accounts.open(after: last, limit: 500)
            guard let end = page.last else { return found }
            last = end.id
            for account in page {
                // An account that was created later under the same id is another one.
                guard let deletion = deletions[DeletionLog.hash(account.id)], account.createdAt <= deletion.at else { continue }
                found.append((account, deletion))
            }
        }
    }
}
