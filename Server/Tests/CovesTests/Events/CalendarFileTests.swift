import Core
import Foundation
import TestKit
import Testing

@testable import Coves

@Suite("Calendar files")
struct CalendarFileTests {
    private static func event(_ name: String, description: String? = nil, location: String = "here") -> CalendarStore.FeedEvent {
        CalendarStore.FeedEvent(
            id: "0193f3b2-4a6b-7e21-9d10-1b2c3d4e5f60", name: name, description: description,
            date: Timestamp(milliseconds: 1_782_324_191_482),
            location: location, revision: 2, createdAt: Timestamp(seconds: 1_780_315_200), changedAt: Timestamp(seconds: 1_780_315_260),
            endedAt: nil)
    }

    private static func file(_ events: [CalendarStore.FeedEvent], cove: String = "Chess club") -> [UInt8] {
        var file = CalendarFile()
        for event in events { file.add(event, ofCove: cove, isCancelled: false) }
        file.end()
        return file.take()
    }

    @Test("an event is written as RFC 5545 asks, folded at 75 octets")
    func golden() {
        let written = Self.file([
            Self.event(
                "Fest; mit Käse, Wein\\Bier",
                description: "Erste Zeile\r\nzweite Zeile, die so lang ist, daß sie gefaltet wird: ääääääääääääää",
                location: "Garten\tlinks")
        ])
        let expected = """
            BEGIN:VCALENDAR
            VERSION:2.0
            PRODID:-//Keepsake//Coves//EN
            CALSCALE:GREGORIAN
            BEGIN:VEVENT
            UID:0193f3b2-4a6b-7e21-9d10-1b2c3d4e5f60
            DTSTAMP:20260601T120100Z
            CREATED:20260601T120000Z
            LAST-MODIFIED:20260601T120100Z
            SEQUENCE:2
            DTSTART:20260624T180311Z
            DTEND:20260624T200311Z
            SUMMARY:Fest\\; mit Käse\\, Wein\\\\Bier
            DESCRIPTION:Erste Zeile\\nzweite Zeile\\, die so lang ist\\, daß sie gefaltet
              wird: ääääääääääääää
            LOCATION:Garten\tlinks
            CATEGORIES:Chess club
            STATUS:CONFIRMED
            END:VEVENT
            END:VCALENDAR

            """
        #expect(String(decoding: written, as: UTF8.self) == expected.replacing("\n", with: "\r\n"))
    }

    @Test("the last event of the year 9999 ends in that year")
    func lastYear() {
        var file = CalendarFile()
        let late = CalendarStore.FeedEvent(
            id: "x", name: "n", description: nil, date: Timestamp(seconds: 253_402_300_798), location: "l", revision: 0,
            createdAt: Timestamp(seconds: 0), changedAt: Timestamp(seconds: 0), endedAt: nil)
        file.add(late, ofCove: "c", isCancelled: true)
        let written = String(decoding: file.take(), as: UTF8.self)
        #expect(written.contains("DTSTART:99991231T235958Z\r\nDTEND:99991231T235959Z\r\n"))
        #expect(written.contains("STATUS:CANCELLED\r\n") && !written.contains("DESCRIPTION"))
    }

    /// The parts from which the test builds hostile names.
    private static let pieces = [
        "\r\n", "\n", "\r", "\r\r\n", "\n ", "\r\n\t", "BEGIN:VEVENT", "END:VEVENT", "END:VCALENDAR", "SUMMARY:x", "X-A;B=C:d", ":", ";",
        ",",
        "\\", "\\n", "\\\\", "\"", "^n", "%0D%0A", "=0D=0A", "\u{0B}", "\u{0C}", "\u{1C}", "\u{1D}", "\u{1E}", "\u{85}", "\u{2028}",
        "\u{2029}", "\u{07}", "\u{1B}", "\u{7F}", "\t", "é", "漢", "👩‍👩‍👧", "e\u{301}", "\u{FEFF}", "a", "b c",
        String(repeating: "x", count: 40),
    ]

    /// The lines of one event.
    private static let properties = [
        "BEGIN:VCALENDAR", "VERSION", "PRODID", "CALSCALE", "BEGIN:VEVENT", "UID", "DTSTAMP", "CREATED", "LAST-MODIFIED", "SEQUENCE",
        "DTSTART",
        "DTEND", "SUMMARY", "DESCRIPTION", "LOCATION", "CATEGORIES", "STATUS", "END:VEVENT", "END:VCALENDAR",
    ]

    @Test("no name, description, place or cove can add a line or a component, and each text is read back")
    func hostileTexts() throws {
        var random = SplitMix64(seed: 2_026)
        for number in 0..<10_000 {
            func text() -> String {
                (0..<Int.random(in: 0...12, using: &random)).map { _ in Self.pieces.randomElement(using: &random)! }.joined()
            }
            let (name, description, location, cove) = (text(), text(), text(), text())
            let written = Self.file([Self.event(name, description: description, location: location)], cove: cove)
            let lines = try Self.unfolded(written, number)
            let names = lines.map { line in
                line.hasPrefix("BEGIN:") || line.hasPrefix("END:") ? line : String(line.prefix { $0 != ":" && $0 != ";" })
            }
            try #require(names == Self.properties, "\(number): \(name.debugDescription)")
            for (index, sent) in zip(12...15, [name, description, location, cove]) {
                let value = String(lines[index].drop { $0 != ":" }.dropFirst())
                try #require(Self.unescaped(value) == Self.expected(sent), "\(number): \(sent.debugDescription)")
            }
        }
    }

    /// Splits the bytes at CRLF, checks each line, and unfolds the lines.
    private static func unfolded(_ bytes: [UInt8], _ number: Int) throws -> [String] {
        let separator = Data([0x0D, 0x0A])
        var rest = Data(bytes)
        var lines: [String] = []
        while let end = rest.range(of: separator) {
            let line = rest[rest.startIndex..<end.lowerBound]
            try #require(line.count <= 75 && !line.contains(0x0D) && !line.contains(0x0A), "\(number)")
            // Each line is valid UTF-8 by itself, so folding cuts no character.
            let text = try #require(String(validating: line, as: UTF8.self), "\(number)")
            if text.utf8.first == UInt8(ascii: " ") {
                lines[lines.count - 1].unicodeScalars += text.unicodeScalars.dropFirst()
            } else {
                lines.append(text)
            }
            rest = rest[end.upperBound...]
        }
        try #require(rest.isEmpty, "\(number)")
        return lines
    }

    private static func unescaped(_ value: String) -> String {
        var text = String.UnicodeScalarView()
        var isEscaped = false
        for scalar in value.unicodeScalars {
            if isEscaped {
                text.append(scalar == "n" ? "\n" : scalar)
                isEscaped = false
            } else if scalar == "\\" {
                isEscaped = true
            } else {
                text.append(scalar)
            }
        }
        return String(text)
    }

    /// The text with every line break as a line feed. Line feeds and tabs are its only control characters.
    private static func expected(_ text: String) -> String {
        var scalars = String.UnicodeScalarView()
        for (index, scalar) in zip(text.unicodeScalars.indices, text.unicodeScalars) {
            switch scalar.value {
            case 0x0A
            where index != text.unicodeScalars.startIndex && text.unicodeScalars[text.unicodeScalars.index(before: index)] == "\r": break
            case 0x0A, 0x0B, 0x0C, 0x0D, 0x85, 0x2028, 0x2029: scalars.append("\n")
            case 0x09: scalars.append(scalar)
            case 0..<0x20, 0x7F: break
            default: scalars.append(scalar)
            }
        }
        return String(scalars)
    }
}
