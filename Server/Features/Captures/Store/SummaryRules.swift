import Core

/// Validation of requests for summaries.
enum SummaryRules {
    /// - Throws: `.invalid` with `field` unless the text is a day like `2026-12-31`.
    static func day(_ text: String, field: String) throws -> String {
        guard TimeRange.Day(text) != nil else { throw Problem(.invalid, "\(field) must be a day, 2026-12-31.", field: field) }
        return text
    }
}
