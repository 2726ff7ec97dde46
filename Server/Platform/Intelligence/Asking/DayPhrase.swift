package import Core
package import Foundation

/// The days that a text names, in a time zone. Pure.
package struct DayPhrase: Sendable {
    /// `nil` when the text names no day.
    package private(set) var range: TimeRange?
    /// The words that name it, in lower case; they are not search terms.
    package private(set) var words: Set<String> = []

    private let calendar: Calendar
    private let now: Date
    private let isFuture: Bool

    /// - Parameter isFuture: whether weekdays, months and dates without a year are the coming ones, and not the latest.
    package init(_ text: String, now: Timestamp, zone: TimeZone, isFuture: Bool = false) {
        var calendar = Calendar(identifier: .gregorian)
        calendar.timeZone = zone
        // Weeks begin on Monday, as in ISO 8601.
        calendar.firstWeekday = 2
        self.calendar = calendar
        self.now = now.date
        self.isFuture = isFuture
        let words = text.lowercased().split { !$0.isLetter && !$0.isNumber && $0 != "-" && $0 != "'" }
            .map { $0.hasSuffix("'s") ? String($0.dropLast(2)) : String($0) }
        for index in words.indices {
            guard let (interval, count) = interval(at: index, words) else { continue }
            range = TimeRange(from: Timestamp(interval.start), to: Timestamp(interval.end))
            self.words = Set(words[index..<index + count])
            break
        }
    }

    /// The days that some words name, of which the first one is at `index`.
    /// - Returns: also the number of those words.
    private func interval(at index: Int, _ words: [String]) -> (DateInterval, Int)? {
        func word(_ offset: Int) -> String { words.indices.contains(index + offset) ? words[index + offset] : "" }
        let (first, second, third) = (word(0), word(1), word(2))
        switch first {
        case "today", "tonight": return day(0).map { ($0, 1) }
        case "yesterday", "tomorrow": return day(first == "tomorrow" ? 1 : -1).map { ($0, Self.partsOfDay.contains(second) ? 2 : 1) }
        case "day" where second == "before" && third == "yesterday": return day(-2).map { ($0, 3) }
        case "day" where second == "after" && third == "tomorrow": return day(2).map { ($0, 3) }
        case "this": return afterThis(second).map { ($0, 2) }
        case "last", "previous", "past": return afterLast(second).map { ($0, 2) }
        case "next": return afterNext(second, weekend: 1).map { ($0, 2) }
        case "coming", "upcoming": return afterNext(second, weekend: 0).map { ($0, 2) }
        // "in 3 days", "in two weeks"
        case "in" where isFuture:
            guard let number = Self.number(second) else { return nil }
            return distance(number, third).map { ($0, 3) }
        default: break
        }
        if let weekday = Self.weekdays[first] { return (isFuture ? coming(weekday) : last(weekday)).map { ($0, 1) } }
        if let exact = TimeRange.Day(first) { return date(exact.year, exact.month, exact.day).map { ($0, 1) } }
        // "3 days ago", "two weeks ago"
        if third == "ago", let number = Self.number(first), let past = distance(-number, second) { return (past, 3) }
        if let number = Self.ordinal(first) { return afterOrdinal(number, word) }
        // "May" and "march" are also other words, so a month without a day and a year counts only after a preposition.
        let followsPreposition = index > 0 && Self.prepositions.contains(words[index - 1])
        if let month = Self.months[first] { return afterMonth(month, word, isAlone: followsPreposition) }
        guard followsPreposition, let year = Self.year(first) else { return nil }
        return interval(.year, DateComponents(year: year, month: 6)).map { ($0, 1) }
    }

    // MARK: First words

    private func afterThis(_ word: String) -> DateInterval? {
        ["morning", "afternoon", "evening"].contains(word) ? day(0) : period(word, 0)
    }

    private func afterLast(_ word: String) -> DateInterval? {
        if ["night", "evening"].contains(word) { return day(-1) }
        if let weekday = Self.weekdays[word] { return last(weekday) }
        if let month = Self.months[word] { return self.month(month, nil, isFuture: false) }
        return period(word, -1)
    }

    /// - Parameter weekend: which weekend "weekend" means: 0 is that of this week, 1 that of the next.
    private func afterNext(_ word: String, weekend: Int) -> DateInterval? {
        if let weekday = Self.weekdays[word] { return coming(weekday, isLater: true) }
        if let month = Self.months[word] { return self.month(month, nil, isFuture: true) }
        return period(word, word == "weekend" ? weekend : 1)
    }

    /// "3 March", "3rd of March 2026"
    private func afterOrdinal(_ number: Int, _ word: (Int) -> String) -> (DateInterval, Int)? {
        let skip = word(1) == "of" ? 2 : 1
        guard let month = Self.months[word(skip)] else { return nil }
        let year = Self.year(word(skip + 1))
        return date(year, month, number).map { ($0, skip + (year == nil ? 1 : 2)) }
    }

    /// - Parameter isAlone: whether the word counts as a month without a day and a year.
    private func afterMonth(_ month: Int, _ word: (Int) -> String, isAlone: Bool) -> (DateInterval, Int)? {
        // "March 3rd, 2026"
        if let number = Self.ordinal(word(1)) {
            let year = Self.year(word(2))
            return date(year, month, number).map { ($0, year == nil ? 2 : 3) }
        }
        let year = Self.year(word(1))
        guard year != nil || isAlone else { return nil }
        return self.month(month, year, isFuture: isFuture).map { ($0, year == nil ? 1 : 2) }
    }

    // MARK: Days

    private func day(_ offset: Int) -> DateInterval? { unit(.day, offset) }

    private func unit(_ unit: Calendar.Component, _ offset: Int) -> DateInterval? {
        // This counts from noon, because adding days to noon never meets a change of daylight saving time.
        guard let noon = calendar.date(bySettingHour: 12, minute: 0, second: 0, of: now),
            let other = calendar.date(byAdding: unit, value: offset, to: noon)
        else { return nil }
        return calendar.dateInterval(of: unit, for: other)
    }

    private func period(_ name: String, _ offset: Int) -> DateInterval? {
        switch name {
        case "week": unit(.weekOfYear, offset)
        case "weekend": weekend(offset)
        case "month": unit(.month, offset)
        case "year": unit(.year, offset)
        default: nil
        }
    }

    /// "3 days", counted from today.
    private func distance(_ number: Int, _ name: String) -> DateInterval? {
        switch name {
        case "day", "days": day(number)
        case "week", "weeks": unit(.weekOfYear, number)
        case "month", "months": unit(.month, number)
        case "year", "years": unit(.year, number)
        default: nil
        }
    }

    /// Saturday and Sunday of a week.
    private func weekend(_ offset: Int) -> DateInterval? {
        guard let week = unit(.weekOfYear, offset), let saturday = calendar.date(byAdding: .day, value: 5, to: week.start) else {
            return nil
        }
        return DateInterval(start: saturday, end: week.end)
    }

    /// The latest day with this weekday, which may be today.
    private func last(_ weekday: Int) -> DateInterval? {
        let back = (calendar.component(.weekday, from: now) - weekday + 7) % 7
        return day(-back)
    }

    /// The next day with this weekday. It may be today, unless `isLater`.
    private func coming(_ weekday: Int, isLater: Bool = false) -> DateInterval? {
        let ahead = (weekday - calendar.component(.weekday, from: now) + 7) % 7
        return day(ahead == 0 && isLater ? 7 : ahead)
    }

    /// The day with this date. Without a year, it is the latest such day that is not in the future, or the coming one if the text is about
    /// the future.
    private func date(_ year: Int?, _ month: Int, _ day: Int) -> DateInterval? {
        let this = calendar.component(.year, from: now)
        // Between two 29 February lie at most eight years.
        let years = year.map { [$0] } ?? (isFuture ? Array(this...this + 8) : [this, this - 1])
        for year in years {
            let parts = DateComponents(calendar: calendar, year: year, month: month, day: day, hour: 12)
            guard parts.isValidDate, let interval = interval(.day, parts) else { continue }
            if years.count == 1 || (isFuture ? interval.end > now : interval.start <= now) { return interval }
        }
        return nil
    }

    private func month(_ month: Int, _ year: Int?, isFuture: Bool) -> DateInterval? {
        let this = calendar.component(.year, from: now)
        let current = calendar.component(.month, from: now)
        let nearest = isFuture ? (month >= current ? this : this + 1) : (month <= current ? this : this - 1)
        return interval(.month, DateComponents(year: year ?? nearest, month: month, day: 10))
    }

    private func interval(_ unit: Calendar.Component, _ parts: DateComponents) -> DateInterval? {
        calendar.date(from: parts).flatMap { calendar.dateInterval(of: unit, for: $0) }
    }

    // MARK: Words

    /// Whether the word names a day when "on" stands before it: "on Sunday", "on 3 March", "on March 3rd".
    static func isDay(_ word: String) -> Bool { weekdays[word] != nil || months[word] != nil || ordinal(word) != nil }

    private static let partsOfDay: Set<String> = ["morning", "afternoon", "evening", "night"]
    private static let prepositions: Set<String> = ["in", "during", "of", "since", "last", "this", "from", "until", "for"]
    private static let weekdays = [
        "sunday": 1, "monday": 2, "tuesday": 3, "wednesday": 4, "thursday": 5, "friday": 6, "saturday": 7,
    ]
    private static let months: [String: Int] = {
        let names = [
            "january", "february", "march", "april", "may", "june", "july", "august", "september", "october", "november", "december",
        ]
        var months: [String: Int] = [:]
        for (index, name) in names.enumerated() { months[name] = index + 1 }
        for (short, month) in [
            "jan": 1, "feb": 2, "apr": 4, "jun": 6, "jul": 7, "aug": 8, "sep": 9, "sept": 9, "oct": 10, "nov": 11, "dec": 12,
        ] {
            months[short] = month
        }
        return months
    }()

    private static func number(_ word: String) -> Int? {
        let names = ["a": 1, "one": 1, "two": 2, "three": 3, "four": 4, "five": 5, "six": 6, "seven": 7]
        return names[word] ?? Int(word).flatMap { (1...400).contains($0) ? $0 : nil }
    }

    /// 1…31, also as 3rd.
    private static func ordinal(_ word: String) -> Int? {
        let digits = word.prefix { $0.isNumber }
        guard ["", "st", "nd", "rd", "th"].contains(word.dropFirst(digits.count)), let number = Int(digits), (1...31).contains(number)
        else {
            return nil
        }
        return number
    }

    private static func year(_ word: String) -> Int? {
        guard word.count == 4, let year = Int(word), (1970...2199).contains(year) else { return nil }
        return year
    }
}
