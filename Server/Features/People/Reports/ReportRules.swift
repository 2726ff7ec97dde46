import Core
import KeepsakeWire

/// What a report may contain, and how many a person may send. Pure.
enum ReportRules {
    /// Reports of one person within `window`. Keeps the operator's list useful, and the number of rows that nobody counts small.
    static let limit = 20
    static let window = Duration.days(1)
    static let maxIDLength = 128
    static let maxTextLength = 1_000

    /// The subject is not looked up: a person who was blocked must not learn from the answer whether the other one still exists, and what
    /// is gone by now may have to be reported nevertheless.
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
