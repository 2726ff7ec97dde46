/// A day of the proleptic Gregorian calendar. The server does not use Foundation's calendars and formatters for it: they take longer than
/// the rest of the response that needs the date.
package struct CivilDate: Sendable, Hashable {
    package let year: Int64
    /// 1...12
    package let month: Int64
    /// 1...31
    package let day: Int64

    /// - Parameter days: since 1970-01-01, for a day of the years -10,000...10,000.
    package init(daysSince1970 days: Int64) {
        // The calculation uses eras of 400 years (146,097 days) that start in March (Hinnant, "chrono-compatible low-level date
        // algorithms").
        let z = days + 719_468
        let era = floorDivide(z, 146_097)
        let dayOfEra = z - era * 146_097
        let yearOfEra = (dayOfEra - dayOfEra / 1_460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
        let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
        let shifted = (5 * dayOfYear + 2) / 153
        month = shifted < 10 ? shifted + 3 : shifted - 9
        year = yearOfEra + era * 400 + (month <= 2 ? 1 : 0)
        day = dayOfYear - (153 * shifted + 2) / 5 + 1
    }

    /// - Parameter year: -10,000...10,000.
    /// - Returns: `nil` when the calendar has no such day.
    package init?(year: Int64, month: Int64, day: Int64) {
        guard 1...12 ~= month, 1...Self.dayCount(year, month) ~= day else { return nil }
        (self.year, self.month, self.day) = (year, month, day)
    }

    package var daysSince1970: Int64 {
        let year = month <= 2 ? year - 1 : year
        let era = floorDivide(year, 400)
        let yearOfEra = year - era * 400
        let dayOfYear = (153 * (month > 2 ? month - 3 : month + 9) + 2) / 5 + day - 1
        return era * 146_097 + yearOfEra * 365 + yearOfEra / 4 - yearOfEra / 100 + dayOfYear - 719_468
    }

    /// Days since Sunday: 0...6.
    package var weekday: Int {
        // 1970-01-01 was a Thursday.
        let days = daysSince1970 + 4
        return Int(days - floorDivide(days, 7) * 7)
    }

    private static func dayCount(_ year: Int64, _ month: Int64) -> Int64 {
        switch month {
        case 2: (year % 4 == 0 && year % 100 != 0) || year % 400 == 0 ? 29 : 28
        case 4, 6, 9, 11: 30
        default: 31
        }
    }
}
