import Accounts
package import Core
import Database
import Web

/// Deletes accounts again that were deleted after a backup was made, and that the restore of this backup has brought back.
package struct RepeatDeletions: Sendable {
    let accounts: AccountsFeature
    let operations: AccountOperations
    let close: CloseAccount

    /// Closes the accounts; the server erases their data when it runs.
    /// - Parameter deletions: when each account was deleted, by the hash of its id; see `DeletionLog`.
    /// - Returns: the number of accounts closed. It is safe to repeat.
    package func callAsFunction(_ deletions: [String: Timestamp]) async throws -> Int {
        guard !deletions.isEmpty else { return 0 }
        var count = 0
        var last = ""
        while true {
            let page = try await accounts.open(after: last, limit: 500)
            guard let end = page.last else { return count }
            last = end.id
            for account in page {
                // An account that was created later under the same id is another one.
                guard let deletedAt = deletions[DeletionLog.hash(account.id)], account.createdAt <= deletedAt else { continue }
                // It was suspended when the backup was made. Then its owner deleted it after it was restored, or the operator deleted it.
                if account.isSuspended { _ = try await operations.perform(.restore, on: account.id) }
                try await close(account.id, keepsCoves: false, at: deletedAt)
                count += 1
            }
        }
    }
}
