/// When a picture was taken, by the camera's clock. EXIF stores the local time, and its fraction of a second in a field of its own; the
/// UTC offset exists only since EXIF 2.31 (2016).
package struct CaptureTime: Sendable, Equatable {
    /// "2025:06:14 18:30:12", every field in its range.
    package let local: String
    /// Minutes east of Greenwich, -14·60...14·60; `nil` when the file contains no offset.
    package let offsetMinutes: Int?
    /// Milliseconds after `local`, 0...999.
    package let milliseconds: Int

    /// - Parameters:
    ///   - local: in the format of EXIF's DateTimeOriginal: `YYYY:MM:DD HH:MM:SS`, with a year of 1900...9999.
    ///   - offset: in the format of OffsetTimeOriginal: `+02:00` or `Z`; anything else counts as no offset.
    ///   - fraction: in the format of SubSecTimeOriginal: the digits after the decimal point, with blanks at the end; anything else counts
    ///     as none.
    /// - Returns: `nil` for any other `local`, including the blanks and zeros of a camera without a clock.
    package init?(local: String, offset: String?, fraction: String? = nil) {
        self.init(
            local: local, offsetMinutes: offset.flatMap(Self.minutes), milliseconds: fraction.flatMap(Self.thousandths) ?? 0)
    }

    /// - Returns: `nil` when one of the values is out of range.
    package init?(local: String, offsetMinutes: Int?, milliseconds: Int = 0) {
        let bytes = Array(local.utf8)
        guard bytes.count == 19, bytes[4] == 58, bytes[7] == 58, bytes[10] == 32, bytes[13] == 58, bytes[16] == 58 else { return nil }
        func number(_ range: Range<Int>) -> Int? { Self.number(bytes[range]) }
        guard let year = number(0..<4), let month = number(5..<7), let day = number(8..<10), let hour = number(11..<13),
            let minute = number(14..<16), let second = number(17..<19),
            (1900...9999).contains(year), (1...12).contains(month), (1...Self.days(year, month)).contains(day), hour < 24, minute < 60,
            second < 60, (-14 * 60...14 * 60).contains(offsetMinutes ?? 0), (0...999).contains(milliseconds)
        else { return nil }
        self.local = local
        self.offsetMinutes = offsetMinutes
        self.milliseconds = milliseconds
    }

    /// Seconds since 1970. Without an offset, the local time is taken as UTC.
    package func seconds() -> Int64 {
        let bytes = Array(local.utf8)
        func number(_ range: Range<Int>) -> Int { Self.number(bytes[range]) ?? 0 }
        // Days since 1970 in the proleptic Gregorian calendar (Howard Hinnant, days_from_civil), for years after 0.
        let month = number(5..<7)
        let year = number(0..<4) - (month <= 2 ? 1 : 0)
        let dayOfYear = (153 * (month + (month > 2 ? -3 : 9)) + 2) / 5 + number(8..<10) - 1
        let days = year * 365 + year / 4 - year / 100 + year / 400 + dayOfYear - 719_468
        let time = number(11..<13) * 3600 + number(14..<16) * 60 + number(17..<19)
        return Int64(days * 86_400 + time - (offsetMinutes ?? 0) * 60)
    }

    private static func days(_ year: Int, _ month: Int) -> Int {
        switch month {
        case 2: (year % 4 == 0 && year % 100 != 0) || year % 400 == 0 ? 29 : 28
        case 4, 6, 9, 11: 30
        default: 31
        }
    }

    private static func number(_ digits: ArraySlice<UInt8>) -> Int? {
        guard digits.allSatisfy({ (48...57).contains($0) }) else { return nil }
        return digits.reduce(0) { $0 * 10 + Int($1 - 48) }
    }

    private static func thousandths(_ fraction: String) -> Int? {
        var digits = Array(fraction.utf8)
        while digits.last == 0x20 { digits.removeLast() }
        guard !digits.isEmpty, digits.allSatisfy({ (48...57).contains($0) }) else { return nil }
        return number((digits + [48, 48]).prefix(3))
    }

    private static func minutes(_ offset: String) -> Int? {
        if offset == "Z" { return 0 }
        let bytes = Array(offset.utf8)
        guard bytes.count == 6, bytes[3] == 58, bytes[0] == 43 || bytes[0] == 45, let hours = number(bytes[1..<3]),
            let minutes = number(bytes[4..<6]), minutes < 60, hours * 60 + minutes <= 14 * 60
        else { return nil }
        return (bytes[0] == 45 ? -1 : 1) * (hours * 60 + minutes)
    }
}
