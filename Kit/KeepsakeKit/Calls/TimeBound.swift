public import Foundation
import KeepsakeWire

/// The beginning or the end of a range of time: a `Date` or a `CalendarDay`. A list can have one of each.
///
/// A range ends before a `Date`, but includes the whole of a `CalendarDay`.
public protocol TimeBound: Sendable {
    /// The value as requests contain it.
    var rangeText: String { get }
}

extension Date: TimeBound {
    /// ISO 8601 in UTC, with milliseconds.
    public var rangeText: String { WireDate.format(self, .milliseconds) }
}

/// A calendar day, for example `2026-12-31`. It has no time zone: the method that takes it says where its days begin, in most cases in the
/// account's time zone.
public struct CalendarDay: TimeBound, Hashable, ExpressibleByStringLiteral {
    /// For example `2026-12-31`.
    public let text: String

    /// Does not check the text: if it is not a day, the server responds 400.
    public init(_ text: String) { self.text = text }

    public init(stringLiteral text: String) { self.text = text }

    /// The day in `timeZone` that contains `date`.
    public init(of date: Date, in timeZone: TimeZone = .current) {
        var calendar = Calendar(identifier: .gregorian)
        calendar.timeZone = timeZone
        let parts = calendar.dateComponents([.year, .month, .day], from: date)
        let year = Self.digits(parts.year ?? 0, 4)
        let month = Self.digits(parts.month ?? 0, 2)
        let day = Self.digits(parts.day ?? 0, 2)
        text = "\(year)-\(month)-\(day)"
    }

    public var rangeText: String { text }

    private static func digits(_ number: Int, _ count: Int) -> String {
        let digits = String(number)
        return String(repeating: "0", count: max(0, count - digits.count)) + digits
    }
}
