import Core
package import Database
import FeatureKit
package import KeepsakeWire
import Logging
package import Web

/// Reports about people, coves, events and photos, which the operator lists and resolves.
package struct Reports: PeoplePart {
    private let store: ReportStore
    private let cursors: Cursors
    private let identifiers: Identifiers
    private let logger: Logger

    init(_ context: FeatureContext, coves: any CoveLookup) {
        store = ReportStore(database: context.database, coves: coves, clock: context.clock)
        cursors = context.cursors
        identifiers = context.identifiers
        logger = context.logger
    }

    package static var migrations: [Migration] { ReportMigrations.all }

    package static var personalTables: [PersonalTable] {
        [
            PersonalTable(
                "report", owner: .column("reporter"), order: ["created_at", "id"],
                columns: [
                    .plain("id"), .plain("kind"), .plain("subject"), .plain("reason"), .time("created_at"), .time("resolved_at"),
                    // These columns belong to the operator, so the reporter's export leaves them out.
                    .withheld("resolved_by"), .withheld("note"), .withheld("reporter"),
                ],
                ending: .statement)
        ]
    }

    static var surfaces: [PathSurface] { [PathSurface("/report", .coves), PathSurface("/admin/reports", .capsules)] }

    package func addRoutes(to routes: Routes) {
        routes.serve(ReportEndpoints.report, SendReport(store: store, identifiers: identifiers).handle)
        routes.serve(AdminEndpoints.reports, ListReports(store: store, cursors: cursors).handle)
        routes.serve(AdminEndpoints.resolveReport, ResolveReport(store: store, logger: logger).handle)
    }

    /// For `keepsake reports list`: newest first.
    package func page(_ status: ReportStatus, _ request: PageRequest<TimeKey>) async throws -> Page<AdminReport, TimeKey> {
        try await store.page(status, request).map(AdminReport.init)
    }

    /// For `keepsake reports resolve`.
    /// - Throws: `.notFound`; `.invalid` naming `note`; `.conflict` when it was resolved before.
    package func resolve(_ id: String, note: String?) async throws -> AdminReport {
        AdminReport(try await store.resolve(id, by: nil, note: try ReportRules.note(note)))
    }
}
