import Core
import KeepsakeWire
import Logging
import Web

/// `POST /admin/reports/{id}/resolve`
struct ResolveReport: Sendable {
    let store: ReportStore
    let logger: Logger

    /// - Throws: `.forbidden` unless the caller is an administrator; `.invalid` naming `note`; `.notFound`; `.conflict` when it was resolved
    ///   before.
    func handle(_ input: ResolveReportInput, _ context: WebContext) async throws -> AdminReport {
        let administrator = try context.requireAdministrator()
        let resolved = try await store.resolve(
            input.id, by: administrator.accountID, note: try ReportRules.note(input.note))
        logger.notice(
            "an administrator resolved a report",
            metadata: ["report": "\(resolved.report.id)", "administrator": "\(administrator.accountID)"])
        return AdminReport(resolved)
    }
}
