import Accounts
import Core
import Database
import Web

/// Deletes accounts again that were deleted after a backup was made and that the restore of this backup brought back.
package struct RepeatDeletions: Sendable {
    let accounts: AccountsFeature
    let operations: AccountOperations
    let close: CloseAccount

    /// Closes the accounts in the order of their deletions, so that each cove ends or goes to the same member as it did then. The server
    /// erases the accounts' data when it runs. It is safe to repeat the call.
    /// - Parameter deletions: at most one deletion of each account, in any order.
    /// - Returns: how many accounts were closed.
    package func callAsFunction(_ deletions: [DeletionLog.Deletion]) async throws -> Int {
        let deletions = Dictionary(uniqueKeysWithValues: deletions.map { ($0.hash, $0) })
        let found = try await openAccounts(among: deletions).sorted { ($0.deletion.at, $0.account.id) < ($1.deletion.at, $1.account.id) }
        for (account, deletion) in found {
            // The account was suspended when the backup was made. Later its suspension ended and its owner deleted it, or the operator
            // deleted it.
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
                // An account that was created after the deletion under the same id is a different account.
                guard let deletion = deletions[DeletionLog.hash(account.id)], account.createdAt <= deletion.at else { continue }
                found.append((account, deletion))
            }
        }
    }
}
