/// An instant in whole microseconds since 1970-01-01T00:00:00Z. The database stores it as BIGINT.
package struct Timestamp: Hashable, Comparable, Sendable, Codable {
    package var microseconds: Int64

    package init(microseconds: Int64) { self.microseconds = microseconds }
    package init(milliseconds: Int64) { self.microseconds = milliseconds * 1_000 }
    package init(seconds: Int64) { self.microseconds = seconds * 1_000_000 }

    /// Whole milliseconds, rounded towards the past.
    package var milliseconds: Int64 { floorDivide(microseconds, 1_000) }
    /// Whole seconds, rounded towards the past.
    package var seconds: Int64 { floorDivide(microseconds, 1_000_000) }

    package static func < (a: Timestamp, b: Timestamp) -> Bool { a.microseconds < b.microseconds }
    package static func + (a: Timestamp, b: Duration) -> Timestamp { Timestamp(microseconds: a.microseconds + b.wholeMicroseconds) }
    package static func - (a: Timestamp, b: Duration) -> Timestamp { Timestamp(microseconds: a.microseconds - b.wholeMicroseconds) }
    package static func - (a: Timestamp, b: Timestamp) -> Duration { .microseconds(a.microseconds - b.microseconds) }
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
    /// Whole milliseconds, rounded towards zero.
    package var wholeMilliseconds: Int64 { components.seconds * 1_000 + components.attoseconds / 1_000_000_000_000_000 }
    /// Whole microseconds, rounded towards zero.
    package var wholeMicroseconds: Int64 { components.seconds * 1_000_000 + components.attoseconds / 1_000_000_000_000 }

    package static func minutes(_ n: Int64) -> Duration { .seconds(n * 60) }
    package static func hours(_ n: Int64) -> Duration { .seconds(n * 3_600) }
    package static func days(_ n: Int64) -> Duration { .seconds(n * 86_400) }
}

/// Rounds towards negative infinity; `b` is positive.
func floorDivide(_ a: Int64, _ b: Int64) -> Int64 { a >= 0 ? a / b : -((-a + b - 1) / b) }
