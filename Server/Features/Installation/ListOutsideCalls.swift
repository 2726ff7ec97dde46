import Core
import Database
import KeepsakeWire
import Outbound
import Web

/// `GET /admin/outside`: requests to engines outside the installation, of all accounts or of one, newest first.
struct ListOutsideCalls: Sendable {
    let ledger: CallLedger
    let cursors: Cursors

    /// - Throws: `.forbidden` unless the caller is an administrator; `.invalid` naming `limit`, `cursor` or `account`.
    func handle(_ input: ListOutsideCallsInput, _ context: WebContext) async throws -> OutsideCallList {
        let administrator = try context.requireAdministrator()
        let account = try TextRules.optionalLine(input.account, field: "account", max: 128)
        let paging = try Paging<TimeKey>(
            "outside", of: [administrator.accountID, account ?? ""], after: input.cursor, limit: try PageSize.read(input.limit), cursors)
        let page = try await ledger.page(of: account, paging.request)
        return OutsideCallList(calls: page.rows.map(OutsideCall.init), nextCursor: paging.cursor(page.next))
    }
}

extension OutsideCall {
    fileprivate init(_ row: CallLedger.Row) {
        self.init(
            id: row.id, accountID: row.owner, at: row.at.date, engine: row.engine, purpose: row.purpose, model: row.model, host: row.host,
            bytesSent: Int(row.sentByteCount), bytesReceived: row.receivedByteCount.map(Int.init),
            milliseconds: row.milliseconds.map(Int.init),
            outcome: row.outcome, inputTokens: row.inputTokens.map(Int.init), outputTokens: row.outputTokens.map(Int.init))
    }
}
