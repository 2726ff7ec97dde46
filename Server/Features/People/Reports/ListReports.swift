import Core
import Database
import KeepsakeWire
import Web

/// `GET /admin/reports`: open or resolved reports, newest first.
struct ListReports: Sendable {
    let store: ReportStore
    let cursors: Cursors

    /// - Throws: `.forbidden` unless the caller is an administrator; `.invalid` naming `limit` or `cursor`.
    func handle(_ input: ListAdminReportsInput, _ context: WebContext) async throws -> AdminReportList {
        let administrator = try context.requireAdministrator()
        let status = input.status ?? .open
        let paging = try Paging<TimeKey>(
            "reports", of: [administrator.accountID, status.rawValue], after: input.cursor, limit: try PageSize.read(input.limit), cursors)
        let page = try await store.page(status, paging.request)
        return AdminReportList(reports: page.rows.map(AdminReport.init), nextCursor: paging.cursor(page.next))
    }
}
