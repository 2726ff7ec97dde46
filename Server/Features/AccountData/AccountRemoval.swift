import Accounts
import Core
package import KeepsakeWire

/// Deletes an account as its operator: the same as when its owner deletes it, also for a suspended account. It uses only the database, so a
/// command can run it; a server erases the data.
package struct AccountRemoval: Sendable {
    let accounts: AccountsFeature
    let close: CloseAccount
    let clock: WallClock
    let log: OperatorLog

    /// - Parameters:
    ///   - account: its id.
    ///   - keepsCoves: whether coves that the account created are handed to another member instead of ending.
    ///   - evenLast: whether the account may be the only administrator's.
    /// - Throws: `.notFound`; `Problem.lastAdministrator`.
    package func callAsFunction(
        _ account: String, keepsCoves: Bool, by who: Operator, evenLast: Bool = false
    ) async throws -> DeletedAccount {
        let now = clock.now
        // Signed first, so that nothing can fail after the account is closed.
        let receipt = try await accounts.signReceipt(of: account, deletedAt: now)
        let isClosed = try await close.evenSuspended(account, keepsCoves: keepsCoves, at: now, evenLast: evenLast) { [log] tx in
            try log.record("delete", on: account, by: who, tx)
        }
        guard isClosed else { throw AccountsFeature.noSuchAccount }
        log.write("delete", on: account, by: who, isChanged: true)
        return DeletedAccount(accountID: account, deletedAt: now.date, receipt: receipt)
    }
}
