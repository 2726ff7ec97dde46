package import Foundation

/// The time range of a query, given as instants or as days of a time zone.
package struct TimeRange: Sendable, Equatable {
    /// Inclusive; `nil` for no lower bound.
    package var from: Timestamp?
    /// Exclusive; `nil` for no upper bound.
    package var to: Timestamp?

    package init(from: Timestamp?, to: Timestamp?) {
        self.from = from
        self.to = to
    }

    /// Without bounds.
    package static let all = TimeRange(from: nil, to: nil)

    /// A day of the Gregorian calendar.
    package struct Day: Sendable, Hashable, Comparable, CustomStringConvertible {
        package let year: Int
        package let month: Int
        package let day: Int

        package init(_ moment: Timestamp, in zone: TimeZone) {
            let parts = calendar(zone).dateComponents([.year, .month, .day], from: moment.date)
            year = parts.year ?? 0
            month = parts.month ?? 0
            day = parts.day ?? 0
        }

        /// Parses `2026-12-31`; `nil` for any other form and for a day that does not exist.
        package init?(_ text: String) {
            let bytes = Array(text.utf8)
            guard bytes.count == 10, bytes[4] == 45, bytes[7] == 45,
                (bytes[..<4] + bytes[5..<7] + bytes[8...]).allSatisfy({ 48...57 ~= $0 }),
                let year = Int(text.prefix(4)), let month = Int(text.dropFirst(5).prefix(2)), let day = Int(text.suffix(2)), year > 0,
                DateComponents(calendar: calendar(.gmt), year: year, month: month, day: day).isValidDate
            else { return nil }
            self.year = year
            self.month = month
            self.day = day
        }

        package static func < (a: Day, b: Day) -> Bool { (a.year, a.month, a.day) < (b.year, b.month, b.day) }

        package var description: String {
            func digits(_ number: Int, _ width: Int) -> String {
                let text = String(number)
                return String(repeating: "0", count: max(0, width - text.count)) + text
            }
            return "\(digits(year, 4))-\(digits(month, 2))-\(digits(day, 2))"
        }

        /// When the day begins or, with `isEnd`, when the next day begins.
        fileprivate func bound(_ zone: TimeZone, isEnd: Bool) -> Timestamp? {
            let calendar = calendar(zone)
            guard let noon = calendar.date(from: DateComponents(year: year, month: month, day: day, hour: 12)),
                let day = calendar.dateInterval(of: .day, for: noon)
            else { return nil }
            return Timestamp(isEnd ? day.end : day.start)
        }
    }

    /// Replaces the space before the offset with a plus, for example in `2026-12-31T20:00:00 02:00`. Returns any other text unchanged.
    private static func withPlus(_ text: String) -> String {
        guard let space = text.lastIndex(of: " "), text[..<space].contains(where: { $0 == "T" || $0 == " " }) else { return text }
        return text[..<space] + "+" + text[text.index(after: space)...]
    }

    /// - Parameters:
    ///   - from: a day (`2026-12-01`) or an instant; inclusive.
    ///   - to: a day, which is included as a whole, or an instant, which is excluded.
    ///   - names: the fields that the request gives the bounds in.
    ///   - moment: parses ISO 8601 into microseconds since 1970. In a query, a plus that is not written as `%2B` is a space, so a space before
    ///     the offset counts as a plus.
    /// - Throws: `.invalid` with one of the two names as its field.
    package static func parse(
        from: String?, to: String?, names: (from: String, to: String) = ("from", "to"), in zone: TimeZone, moment: (String) -> Int64?
    ) throws -> TimeRange {
        func bound(_ text: String?, _ field: String, isEnd: Bool) throws -> Timestamp? {
            guard let text else { return nil }
            if let day = Day(text), let bound = day.bound(zone, isEnd: isEnd) { return bound }
            guard let microseconds = moment(text) ?? moment(withPlus(text)) else {
                throw Problem(.invalid, "\(field) must be a day, 2026-12-31, or ISO 8601.", field: field)
            }
            return Timestamp(microseconds: microseconds)
        }
        let range = TimeRange(from: try bound(from, names.from, isEnd: false), to: try bound(to, names.to, isEnd: true))
        if let from = range.from, let to = range.to, from >= to {
            throw Problem(.invalid, "\(names.from) is not before \(names.to).", field: names.from)
        }
        return range
    }
}

private func calendar(_ zone: TimeZone) -> Calendar {
    var calendar = Calendar(identifier: .gregorian)
    calendar.timeZone = zone
    return calendar
}

extension Timestamp {
    package init(_ date: Date) {
        let microseconds = (date.timeIntervalSince1970 * 1_000_000).rounded()
        self.init(microseconds: Int64(exactly: microseconds) ?? (microseconds < 0 ? .min : .max))
    }

    /// Exact to the microsecond until the year 2255; later dates exceed the precision of Double.
    package var date: Date { Date(timeIntervalSince1970: Double(microseconds) / 1_000_000) }

    /// The instant at which clocks of the zone show the date and time that clocks in UTC show at this instant. If the zone's clocks show
    /// that time twice, one of the two instants; if they skip it, an instant within an hour.
    package func local(in zone: TimeZone) -> Timestamp {
        func offset(_ moment: Timestamp) -> Duration { .seconds(zone.secondsFromGMT(for: moment.date)) }
        // The offset at the result, which is at most a day away, is not always the offset here.
        return self - offset(self - offset(self))
    }
}
