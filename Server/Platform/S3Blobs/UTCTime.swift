import Core

/// The parts of an instant in UTC, by the calendar arithmetic of days since 1970. Foundation's formatters cost tens of microseconds.
struct UTCTime: Equatable {
    let year: Int
    let month: Int
    let day: Int
    let hour: Int
    let minute: Int
    let second: Int

    init(_ time: Timestamp) {
        let seconds = time.seconds
        let days = seconds >= 0 ? seconds / 86_400 : -((-seconds + 86_399) / 86_400)
        let rest = Int(seconds - days * 86_400)
        (hour, minute, second) = (rest / 3_600, rest / 60 % 60, rest % 60)
        // Years start in March, so that the leap day is the last day of a year; 146,097 days are 400 years.
        let shifted = Int(days) + 719_468
        let era = (shifted >= 0 ? shifted : shifted - 146_096) / 146_097
        let dayOfEra = shifted - era * 146_097
        let yearOfEra = (dayOfEra - dayOfEra / 1_460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
        let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
        let march = (5 * dayOfYear + 2) / 153
        day = dayOfYear - (153 * march + 2) / 5 + 1
        month = march < 10 ? march + 3 : march - 9
        year = yearOfEra + era * 400 + (month <= 2 ? 1 : 0)
    }

    /// - Returns: `nil` for a time that does not exist. The numbers come from the store: without this check, a year of twenty digits would
    ///   overflow, which ends the server.
    private static func time(year: Int, month: Int, day: Int, hour: Int, minute: Int, second: Int) -> Timestamp? {
        guard 1...9_999 ~= year, 1...12 ~= month, 1...31 ~= day, 0...23 ~= hour, 0...59 ~= minute, 0...60 ~= second else { return nil }
        let y = month <= 2 ? year - 1 : year
        let era = (y >= 0 ? y : y - 399) / 400
        let yearOfEra = y - era * 400
        let dayOfYear = (153 * (month > 2 ? month - 3 : month + 9) + 2) / 5 + day - 1
        let dayOfEra = yearOfEra * 365 + yearOfEra / 4 - yearOfEra / 100 + dayOfYear
        return Timestamp(
            seconds: Int64(era * 146_097 + dayOfEra - 719_468) * 86_400 + Int64(hour * 3_600 + minute * 60 + second))
    }

    /// Reads `Sun, 06 Nov 1994 08:49:37 GMT` (RFC 9110 §5.6.7).
    /// - Returns: `nil` for anything else.
    static func parse(httpDate text: String) -> Timestamp? {
        let words = text.split(separator: " ")
        let months = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"]
        guard words.count == 6, let day = Int(words[1]), let month = months.firstIndex(of: String(words[2])), let year = Int(words[3])
        else { return nil }
        let clock = words[4].split(separator: ":").compactMap { Int($0) }
        guard clock.count == 3 else { return nil }
        return time(year: year, month: month + 1, day: day, hour: clock[0], minute: clock[1], second: clock[2])
    }

    /// Reads `2009-10-12T17:50:30.000Z`, as listings contain it.
    /// - Returns: `nil` for anything else.
    static func parse(iso8601 text: some StringProtocol) -> Timestamp? {
        let digits = text.split { !$0.isNumber }.prefix(6).compactMap { Int($0) }
        guard digits.count == 6, text.last == "Z" else { return nil }
        return time(year: digits[0], month: digits[1], day: digits[2], hour: digits[3], minute: digits[4], second: digits[5])
    }
}
