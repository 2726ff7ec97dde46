/// An instant in whole microseconds since 1970-01-01T00:00:00Z. The database stores it as BIGINT.
///
/// Any number may come from a row or from the payload of a job, and an overflow would end the server. So a calculation that would overflow
/// returns the last instant or the first one.
package struct Timestamp: Hashable, Comparable, Sendable, Codable {
    package var microseconds: Int64

    package init(microseconds: Int64) { self.microseconds = microseconds }
    package init(milliseconds: Int64) {
        microseconds = nearest(milliseconds.multipliedReportingOverflow(by: 1_000), isNegative: milliseconds < 0)
    }
    package init(seconds: Int64) {
        microseconds = nearest(seconds.multipliedReportingOverflow(by: 1_000_000), isNegative: seconds < 0)
    }

    /// The start of a day in UTC.
    package init(daysSince1970 days: Int64) {
        self.init(seconds: nearest(days.multipliedReportingOverflow(by: 86_400), isNegative: days < 0))
    }

    /// Whole milliseconds, rounded towards the past.
    package var milliseconds: Int64 { floorDivide(microseconds, 1_000) }
    /// Whole seconds, rounded towards the past.
    package var seconds: Int64 { floorDivide(microseconds, 1_000_000) }
    /// Whole days in UTC, rounded towards the past.
    package var daysSince1970: Int64 { floorDivide(seconds, 86_400) }

    package static func < (a: Timestamp, b: Timestamp) -> Bool { a.microseconds < b.microseconds }
    package static func + (a: Timestamp, b: Duration) -> Timestamp {
        let sum = a.microseconds.addingReportingOverflow(b.wholeMicroseconds)
        return Timestamp(microseconds: nearest(sum, isNegative: a.microseconds < 0))
    }
    package static func - (a: Timestamp, b: Duration) -> Timestamp {
        let difference = a.microseconds.subtractingReportingOverflow(b.wholeMicroseconds)
        return Timestamp(microseconds: nearest(difference, isNegative: a.microseconds < 0))
    }
    package static func - (a: Timestamp, b: Timestamp) -> Duration {
        .microseconds(a.microseconds) - .microseconds(b.microseconds)
    }
}

/// Encoded as in the database: a whole number of microseconds.
extension Timestamp {
    package init(from decoder: any Decoder) throws { microseconds = try decoder.singleValueContainer().decode(Int64.self) }

    package func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(microseconds)
    }
}

extension Duration {
    /// Whole milliseconds, rounded towards zero; at most `Int64.max`.
    package var wholeMilliseconds: Int64 { whole(perSecond: 1_000) }
    /// Whole microseconds, rounded towards zero; at most `Int64.max`.
    package var wholeMicroseconds: Int64 { whole(perSecond: 1_000_000) }

    private func whole(perSecond: Int64) -> Int64 {
        let (seconds, attoseconds) = components
        let whole = seconds.multipliedReportingOverflow(by: perSecond)
        let sum = whole.partialValue.addingReportingOverflow(attoseconds / (1_000_000_000_000_000_000 / perSecond))
        return nearest((sum.partialValue, whole.overflow || sum.overflow), isNegative: seconds < 0)
    }

    package static func minutes(_ n: Int64) -> Duration { .seconds(n * 60) }
    package static func hours(_ n: Int64) -> Duration { .seconds(n * 3_600) }
    package static func days(_ n: Int64) -> Duration { .seconds(n * 86_400) }
}

/// Rounds towards negative infinity.
/// - Parameter b: at least 2.
func floorDivide(_ a: Int64, _ b: Int64) -> Int64 {
    let (quotient, remainder) = a.quotientAndRemainder(dividingBy: b)
    return remainder < 0 ? quotient - 1 : quotient
}

/// The result of a calculation; after an overflow, the smallest or largest number.
private func nearest(_ result: (partialValue: Int64, overflow: Bool), isNegative: Bool) -> Int64 {
    guard result.overflow else { return result.partialValue }
    return isNegative ? .min : .max
}
