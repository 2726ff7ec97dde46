import Core
import KeepsakeWire

/// Writes a calendar (RFC 5545). Pure: texts go in, bytes come out.
///
/// Whatever a text contains, it stays within its own content line: line breaks are escaped, and other control characters are left out,
/// because RFC 5545 does not allow them.
struct CalendarFile: Sendable {
    /// What was written since the last `take`.
    private(set) var bytes: [UInt8] = []

    /// How long an event lasts, for want of an end.
    static let duration = Duration.hours(2)
    /// §3.1: the longest line in octets, without its CRLF.
    private static let lineLength = 75

    init() {
        line("BEGIN:VCALENDAR")
        line("VERSION:2.0")
        line("PRODID:-//Keepsake//Coves//EN")
        line("CALSCALE:GREGORIAN")
    }

    mutating func add(_ event: CalendarStore.FeedEvent, ofCove cove: String, isCancelled: Bool) {
        line("BEGIN:VEVENT")
        line("UID:" + Self.escaped(event.id))
        line("DTSTAMP:" + Self.time(event.changedAt))
        line("CREATED:" + Self.time(event.createdAt))
        line("LAST-MODIFIED:" + Self.time(event.changedAt))
        line("SEQUENCE:\(event.revision)")
        line("DTSTART:" + Self.time(event.date))
        line("DTEND:" + Self.time(min(event.date + Self.duration, Self.last)))
        line("SUMMARY:" + Self.escaped(event.name))
        if let description = event.description { line("DESCRIPTION:" + Self.escaped(description)) }
        line("LOCATION:" + Self.escaped(event.location))
        line("CATEGORIES:" + Self.escaped(cove))
        line("STATUS:" + (isCancelled ? "CANCELLED" : "CONFIRMED"))
        line("END:VEVENT")
    }

    mutating func end() { line("END:VCALENDAR") }

    /// Returns what was written since the last call.
    mutating func take() -> [UInt8] {
        defer { bytes = [] }
        return bytes
    }

    /// Writes a content line, folded at 75 octets (§3.1), never within a character.
    private mutating func line(_ text: String) {
        var length = 0
        for scalar in text.unicodeScalars {
            let count = UTF8.width(scalar)
            if length + count > Self.lineLength {
                bytes += [0x0D, 0x0A, 0x20]
                length = 1
            }
            bytes += UTF8.encode(scalar)!
            length += count
        }
        bytes += [0x0D, 0x0A]
    }

    /// A value of the type TEXT (§3.3.11).
    static func escaped(_ text: String) -> String {
        var escaped = ""
        var follows: Unicode.Scalar?
        for scalar in text.unicodeScalars {
            switch scalar {
            case "\\", ";", ",":
                escaped.unicodeScalars.append("\\")
                escaped.unicodeScalars.append(scalar)
            // A pair of CR and LF is one line break.
            case "\n" where follows == "\r": break
            // Beside CR and LF, those that Unicode calls line breaks: some programs split lines there.
            case "\n", "\r", "\u{0B}", "\u{0C}", "\u{85}", "\u{2028}", "\u{2029}": escaped += "\\n"
            case "\t": escaped += "\t"
            case "\0"..."\u{1F}", "\u{7F}": break
            default: escaped.unicodeScalars.append(scalar)
            }
            follows = scalar
        }
        return escaped
    }

    /// A DATE-TIME in UTC (§3.3.5), for example `20261231T200000Z`; in whole seconds, rounded towards the past.
    private static func time(_ time: Timestamp) -> String {
        WireDate.format(microseconds: time.seconds * 1_000_000, .wholeSeconds).filter { $0 != "-" && $0 != ":" }
    }

    /// The last second of the year 9999: a year has four digits in this format.
    private static let last = Timestamp(seconds: 253_402_300_799)
}
