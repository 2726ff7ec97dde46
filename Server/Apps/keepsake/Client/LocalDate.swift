import Foundation
import KeepsakeKit
import KeepsakeWire

/// Dates as a person types them.
enum LocalDate {
    /// Parses ISO 8601. `2026-12-31 20:00` and `2026-12-31`, without an offset, are times in this computer's time zone.
    /// - Throws: `ClientFailure` with exit code 64.
    static func parse(_ text: String, zone: TimeZone = .current) throws -> Date {
        let full = text.wholeMatch(of: /\d{4}-\d\d-\d\d/) == nil ? text : text + "T00:00"
        guard let date = WireDate.parse(full) else {
            throw ClientFailure(.usage, "\(ClientOutput.line(text)) is not a date; it looks like 2026-12-31, or like 2026-12-31T20:00")
        }
        if full.contains(/([Zz]|[+-]\d\d(:?\d\d)?)$/), full.count > 16 { return date }
        // Use the offset at the time of the result. It differs from the offset at `date` only near a change of the clocks.
        let near = date.addingTimeInterval(-Double(zone.secondsFromGMT(for: date)))
        return date.addingTimeInterval(-Double(zone.secondsFromGMT(for: near)))
    }

    /// The beginning or the end of a time range, with the server's rules: a time without an offset is in UTC, and a day is in the account's
    /// time zone. The server refuses a text that is neither.
    static func bound(_ text: String) -> any TimeBound {
        if let date = WireDate.parse(text) { return date }
        return CalendarDay(text)
    }
}
