package import Core
package import Foundation

/// The fixed parts of an answer's lines. An answer consists of such lines and of quotes only.
package enum AnswerFrame {
    package static let nothing = "Nothing in your entries answers this."

    /// `On 2026-03-14 at 14:05: Just met with John.`
    package static func quote(at moment: Timestamp, _ sentence: String, _ zone: TimeZone) -> String {
        let day = TimeRange.Day(moment, in: zone)
        return "On \(day) at \(SummaryFrame.time(moment, zone)): \(sentence.split(whereSeparator: \.isWhitespace).joined(separator: " "))"
    }

    /// What is left of a line without its fixed part, as `Grounding.ungrounded` needs it for `frames`.
    package static func rest(of line: String) -> String? {
        if line == nothing { return "" }
        return line.wholeMatch(of: /On \d{4}-\d\d-\d\d at \d\d:\d\d: (.+)/).map { String($0.1) }
    }
}
