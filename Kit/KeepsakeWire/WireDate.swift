public import Foundation

/// Dates in ISO 8601 format in UTC, with exactly as many digits as the client of each surface can parse.
public enum WireDate {
    public enum Style: Sendable {
        /// `2026-12-31T20:00:00Z`
        case wholeSeconds
        /// `2026-12-31T20:00:00.000Z`
        case milliseconds
        /// `2026-12-31T20:00:00.000000Z`
        case microseconds
    }

    public static func format(_ date: Date, _ style: Style) -> String {
        // Round to whole microseconds first, so that the rounding errors of a Double do not show as …999.
        // Near the end of the year 9999, a Double cannot represent single microseconds. Such a time would round to the year 10000, which no
        // client parses.
        let microseconds = (date.timeIntervalSince1970 * 1_000_000).rounded()
        return format(microseconds: min(Int64(exactly: microseconds) ?? (microseconds < 0 ? .min : .max), lastMicrosecond), style)
    }

    /// `9999-12-31T23:59:59.999999Z`
    private static let lastMicrosecond: Int64 = 253_402_300_799_999_999

    /// - Parameter microseconds: microseconds since 1970, in the years 0…9999.
    public static func format(microseconds: Int64, _ style: Style) -> String {
        let (days, inDay) = floorDivide(microseconds, 86_400_000_000)
        let (year, month, day) = civil(fromDays: days)
        let seconds = inDay / 1_000_000
        let fraction = inDay % 1_000_000
        // This code makes no intermediate strings, because a list contains two dates for each entry.
        return String(unsafeUninitializedCapacity: 32) { text in
            var count = 0
            func put(_ value: Int64, _ width: Int) {
                var rest = value.magnitude
                for index in (count..<count + width).reversed() {
                    text[index] = UInt8(ascii: "0") + UInt8(truncatingIfNeeded: rest % 10)
                    rest /= 10
                }
                count += width
            }
            func put(_ sign: Unicode.Scalar) {
                text[count] = UInt8(ascii: sign)
                count += 1
            }
            put(year, year > 9_999 ? 6 : 4)
            put("-")
            put(month, 2)
            put("-")
            put(day, 2)
            put("T")
            put(seconds / 3_600, 2)
            put(":")
            put(seconds / 60 % 60, 2)
            put(":")
            put(seconds % 60, 2)
            switch style {
            case .wholeSeconds: break
            case .milliseconds:
                put(".")
                put(fraction / 1_000, 3)
            case .microseconds:
                put(".")
                put(fraction, 6)
            }
            put("Z")
            return count
        }
    }

    /// Parses any ISO 8601 date and time: with `T` or a space, any number of fractional digits, and `Z`, an offset, or neither (which means
    /// UTC).
    public static func parse(_ text: String) -> Date? {
        parseMicroseconds(text).map { Date(timeIntervalSince1970: Double($0) / 1_000_000) }
    }

    /// Like `parse`, but returns whole microseconds since 1970. Digits after the sixth are dropped.
    public static func parseMicroseconds(_ text: String) -> Int64? {
        var scanner = Scanner(bytes: Array(text.utf8))
        guard let year = scanner.number(4), scanner.skip("-"), let month = scanner.number(2), scanner.skip("-"),
            let day = scanner.number(2), 1...12 ~= month, 1...lastDay(year, month) ~= day,
            scanner.skip("T") || scanner.skip("t") || scanner.skip(" "),
            let hour = scanner.number(2), scanner.skip(":"), let minute = scanner.number(2), hour < 24, minute < 60
        else { return nil }
        var second: Int64 = 0
        var fraction: Int64 = 0
        if scanner.skip(":") {
            // In Unix time, a leap second is the same time as the second after it.
            guard let value = scanner.number(2), value <= 60 else { return nil }
            second = value
            if scanner.skip(".") || scanner.skip(",") {
                guard let value = scanner.fraction() else { return nil }
                fraction = value
            }
        }
        var offset: Int64 = 0
        if !scanner.skip("Z"), !scanner.skip("z"), !scanner.isAtEnd {
            let sign: Int64 = scanner.skip("+") ? 1 : scanner.skip("-") ? -1 : 0
            guard sign != 0, let hours = scanner.number(2), hours < 24 else { return nil }
            _ = scanner.skip(":")
            let minutes = scanner.isAtEnd ? 0 : scanner.number(2)
            guard let minutes, minutes < 60 else { return nil }
            offset = sign * (hours * 60 + minutes)
        }
        guard scanner.isAtEnd else { return nil }
        let seconds = days(year, month, day) * 86_400 + hour * 3_600 + (minute - offset) * 60 + second
        return seconds * 1_000_000 + fraction
    }

    // MARK: The calendar

    // These functions convert between dates of the proleptic Gregorian calendar and days since 1970. They use eras of 400 years (146,097
    // days), whose years start in March.
    private static func civil(fromDays days: Int64) -> (Int64, Int64, Int64) {
        let z = days + 719_468
        let (era, dayOfEra) = floorDivide(z, 146_097)
        let yearOfEra = (dayOfEra - dayOfEra / 1_460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
        let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
        let shifted = (5 * dayOfYear + 2) / 153
        let month = shifted < 10 ? shifted + 3 : shifted - 9
        return (yearOfEra + era * 400 + (month <= 2 ? 1 : 0), month, dayOfYear - (153 * shifted + 2) / 5 + 1)
    }

    private static func days(_ year: Int64, _ month: Int64, _ day: Int64) -> Int64 {
        let (era, yearOfEra) = floorDivide(month <= 2 ? year - 1 : year, 400)
        let dayOfYear = (153 * (month > 2 ? month - 3 : month + 9) + 2) / 5 + day - 1
        return era * 146_097 + yearOfEra * 365 + yearOfEra / 4 - yearOfEra / 100 + dayOfYear - 719_468
    }

    private static func lastDay(_ year: Int64, _ month: Int64) -> Int64 {
        switch month {
        case 4, 6, 9, 11: 30
        case 2: year % 4 == 0 && (year % 100 != 0 || year % 400 == 0) ? 29 : 28
        default: 31
        }
    }

    private static func floorDivide(_ a: Int64, _ b: Int64) -> (Int64, Int64) {
        let (q, r) = a.quotientAndRemainder(dividingBy: b)
        return r < 0 ? (q - 1, r + b) : (q, r)
    }

    private struct Scanner {
        let bytes: [UInt8]
        var at = 0

        var isAtEnd: Bool { at == bytes.count }

        mutating func skip(_ character: Character) -> Bool {
            guard at < bytes.count, bytes[at] == character.asciiValue else { return false }
            at += 1
            return true
        }

        mutating func number(_ width: Int) -> Int64? {
            guard at + width <= bytes.count else { return nil }
            var value: Int64 = 0
            for byte in bytes[at..<at + width] {
                guard 48...57 ~= byte else { return nil }
                value = value * 10 + Int64(byte - 48)
            }
            at += width
            return value
        }

        /// Parses one or more digits of a second's fraction, as microseconds.
        mutating func fraction() -> Int64? {
            var value: Int64 = 0
            var count = 0
            while at < bytes.count, 48...57 ~= bytes[at] {
                if count < 6 { value = value * 10 + Int64(bytes[at] - 48) }
                count += 1
                at += 1
            }
            guard count > 0 else { return nil }
            for _ in min(count, 6)..<6 { value *= 10 }
            return value
        }
    }
}
