import Core
import KeepsakeWire
import Web

/// `POST /report`: keeps a report about a person, a cove, an event or a photo for the operator.
struct SendReport: Sendable {
    let store: ReportStore
    let identifiers: Identifiers

    /// - Throws: `.invalid` naming `id` or `reason`; `.tooManyRequests`.
    func handle(_ input: ReportInput, _ context: WebContext) async throws -> Kept<ReportResponse> {
        let reporter = try context.requireViewer().accountID
        let report = try ReportRules.report(input, id: identifiers.next(), reporter: reporter, at: identifiers.clock.now)
        return try await store.add(report) { tx in
            let response = ReportResponse(message: "Thank you. The operator of this server will look at your report.")
            return try context.idempotency.keep(response, creating: [report.resource], tx)
        }
    }
}
