import Core
import KeepsakeWire

/// Writes a calendar (RFC 5545). Pure: texts go in, bytes come out.
///
/// Whatever a text contains, it stays within its own content line: line breaks are escaped, and other control characters are left out,
/// because RFC 5545 does not allow them.
struct CalendarFile: Sendable {
    /// What was written since the last `take`.
    private(set) var bytes: [UInt8] = []

    /// How long an event lasts in the calendar. Events of coves have no end.
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
        line("UID", event.id)
        line("DTSTAMP:" + Self.time(event.changedAt))
        line("CREATED:" + Self.time(event.createdAt))
        line("LAST-MODIFIED:" + Self.time(event.changedAt))
        line("SEQUENCE:\(event.revision)")
        line("DTSTART:" + Self.time(event.date))
        line("DTEND:" + Self.time(min(event.date + Self.duration, Self.last)))
        line("SUMMARY", event.name)
        if let description = event.description { line("DESCRIPTION", description) }
        line("LOCATION", event.location)
        line("CATEGORIES", cove)
        line("STATUS:" + (isCancelled ? "CANCELLED" : "CONFIRMED"))
        line("END:VEVENT")
    }

    mutating func end() { line("END:VCALENDAR") }

    /// Returns what was written since the last call.
    mutating func take() -> [UInt8] {
        defer { bytes = [] }
        return bytes
    }

    private mutating func line(_ text: String) { write(Array(text.utf8)) }

    /// Writes a content line whose value has the type TEXT (§3.3.11).
    private mutating func line(_ name: String, _ value: String) {
        var line = Array((name + ":").utf8)
        var value = value
        value.withUTF8 { Self.append($0, to: &line) }
        write(line)
    }

    /// Writes a content line, folded at 75 octets (§3.1), never within a character. Works on bytes, because a feed has megabytes of them.
    private mutating func write(_ line: [UInt8]) {
        var (start, room) = (0, Self.lineLength)
        while line.count - start > room {
            var end = start + room
            while line[end] & 0xC0 == 0x80 { end -= 1 }
            bytes += line[start..<end]
            bytes += [0x0D, 0x0A, 0x20]
            // The space at the beginning of the line counts, too.
            (start, room) = (end, Self.lineLength - 1)
        }
        bytes += line[start...]
        bytes += [0x0D, 0x0A]
    }

    /// Appends a text in UTF-8, with its special characters escaped.
    private static func append(_ text: UnsafeBufferPointer<UInt8>, to line: inout [UInt8]) {
        let lineBreak = Array("\\n".utf8)
        func byte(_ index: Int) -> UInt8 { index < text.count ? text[index] : 0 }
        var index = 0
        while index < text.count {
            let next = byte(index + 1)
            switch text[index] {
            case UInt8(ascii: "\\"), UInt8(ascii: ";"), UInt8(ascii: ","): line += [UInt8(ascii: "\\"), text[index]]
            // A pair of CR and LF is one line break.
            case 0x0D where next == 0x0A:
                line += lineBreak
                index += 1
            // Besides CR and LF, this escapes the characters that Unicode calls line breaks, because some programs split lines there.
            case 0x0A...0x0D: line += lineBreak
            case 0xC2 where next == 0x85:
                line += lineBreak
                index += 1
            case 0xE2 where next == 0x80 && (byte(index + 2) == 0xA8 || byte(index + 2) == 0xA9):
                line += lineBreak
                index += 2
            case 0x09: line.append(0x09)
            case ..<0x20, 0x7F: break
            default: line.append(text[index])
            }
            index += 1
        }
    }

    /// A DATE-TIME in UTC (§3.3.5), for example `20261231T200000Z`; in whole seconds, rounded towards the past.
    private static func time(_ time: Timestamp) -> String {
        WireDate.format(microseconds: time.microseconds, .wholeSeconds).filter { $0 != "-" && $0 != ":" }
    }

    /// The last second of the year 9999: a year has four digits in this format.
    private static let last = Timestamp(seconds: 253_402_300_799)
}
