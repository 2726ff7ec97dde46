import Accounts
import Core
package import KeepsakeWire

/// Deletes an account on the operator's behalf. It does the same as a deletion by the owner, but also deletes suspended accounts. It uses
/// only the database, so a command can run it; the server erases the data later.
package struct AccountRemoval: Sendable {
    let accounts: AccountsFeature
    let close: CloseAccount
    let clock: WallClock
    let log: OperatorLog

    /// - Parameters:
    ///   - account: the account's id.
    ///   - keepsCoves: whether coves that the account created are handed to another member instead of ending.
    ///   - evenLast: whether to delete the account even if its owner is the only administrator.
    /// - Throws: `.notFound`; `Problem.lastAdministrator`.
    package func callAsFunction(
        _ account: String, keepsCoves: Bool, by who: Operator, evenLast: Bool = false
    ) async throws -> DeletedAccount {
        let now = clock.now
        // The receipt is signed first, so that nothing can fail after the account is closed.
        let receipt = try await accounts.signReceipt(of: account, deletedAt: now)
        let isClosed = try await close.evenSuspended(account, keepsCoves: keepsCoves, at: now, evenLast: evenLast) { [log] tx in
            try log.record("delete", on: account, by: who, tx)
        }
        guard isClosed else { throw AccountsFeature.noSuchAccount }
        log.write("delete", on: account, by: who, isChanged: true)
        return DeletedAccount(accountID: account, deletedAt: now.date, receipt: receipt)
    }
}
