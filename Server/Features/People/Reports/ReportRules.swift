import Core
import KeepsakeWire

/// What a report may contain, and how many a person may send. Pure.
enum ReportRules {
    /// The most reports that one person can send within `window`. The limit keeps the operator's list useful. It also bounds the number of
    /// rows, which do not count against any quota.
    static let limit = 20
    static let window = Duration.days(1)
    static let maxIDLength = 128
    static let maxTextLength = 1_000

    /// Does not check that the subject exists, for two reasons. A person who was blocked must not learn from the response whether the other
    /// person still exists. And a person can report something that has been deleted since.
    /// - Throws: `.invalid` naming `id` or `reason`.
    static func report(_ input: ReportInput, id: String, reporter: String, at now: Timestamp) throws -> StoredReport {
        let subject = try required(input.id, field: "id", max: maxIDLength)
        guard input.kind != .user || subject != reporter else { throw Problem(.invalid, "You cannot report yourself.", field: "id") }
        return StoredReport(
            id: id, reporter: reporter, kind: input.kind, subject: subject,
            reason: try required(input.reason, field: "reason", max: maxTextLength), createdAt: now)
    }

    /// - Throws: `.invalid` naming `note`.
    static func note(_ text: String?) throws -> String? { try TextRules.optionalLine(text, field: "note", max: maxTextLength) }

    private static func required(_ text: String, field: String, max: Int) throws -> String {
        let text = try TextRules.line(text, field: field, max: max)
        guard !text.isEmpty else { throw Problem(.invalid, "\(field) must not be empty.", field: field) }
        return text
    }
}
