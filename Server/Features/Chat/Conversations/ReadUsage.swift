import Core
import KeepsakeWire
import Outbound
import Web

/// `GET /api/chat/usage`: how much of the caller's data all features sent to services outside the installation.
struct ReadUsage: Sendable {
    let ledger: CallLedger
    let clock: WallClock

    func handle(_ input: ChatUsageInput, _ context: WebContext) async throws -> ChatUsage {
        let owner = try context.requireViewer().accountID
        let now = clock.now
        let to = try Self.date(input.to, field: "to") ?? CivilDate(daysSince1970: now.daysSince1970)
        let from = try Self.date(input.from, field: "from") ?? CivilDate(daysSince1970: to.daysSince1970 - 29)
        guard from.daysSince1970 <= to.daysSince1970 else { throw Problem(.invalid, "from must not be after to.", field: "from") }
        // Begin at the retention limit: older rows have been deleted.
        let first = max(from.daysSince1970, (now - CallLedger.retention).daysSince1970 - 1)
        let rows = try await ledger.use(
            by: owner, from: Timestamp(daysSince1970: first), to: Timestamp(daysSince1970: to.daysSince1970 + 1))
        return ChatUsage(
            usage: rows.map { row in
                ChatUsage.Row(
                    date: Self.text(row.day), provider: row.engine, model: row.model, purpose: row.purpose,
                    requests: Int(row.requests), bytesSent: Int(row.sentByteCount), bytesReceived: Int(row.receivedByteCount),
                    inputTokens: Int(row.inputTokens), outputTokens: Int(row.outputTokens))
            })
    }

    private static func text(_ day: Int64) -> String {
        String(WireDate.format(microseconds: Timestamp(daysSince1970: day).microseconds, .wholeSeconds).prefix(10))
    }

    private static func date(_ text: String?, field: String) throws -> CivilDate? {
        guard let text else { return nil }
        guard let day = TimeRange.Day(text), let date = CivilDate(year: Int64(day.year), month: Int64(day.month), day: Int64(day.day))
        else { throw Problem(.invalid, "\(field) must be a day, for example 2026-12-31.", field: field) }
        return date
    }
}
