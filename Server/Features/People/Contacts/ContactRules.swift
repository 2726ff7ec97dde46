import Core
import Phone

/// Limits and normalization of looked-up phone numbers. Pure functions.
enum ContactRules {
    /// Numbers in a request.
    static let maxCount = 1_000

    /// A number as the request wrote it, and in E.164.
    struct Number: Sendable, Equatable {
        let written: String
        let e164: String
    }

    /// Skips what is no phone number, and repeated numbers after the first.
    /// - Parameter region: the caller's country, see `PhoneNumber.e164`.
    /// - Throws: `.invalid` naming `phoneNumbers` for more than 1,000 texts, a text with NUL, or one of more than 256 characters.
    static func numbers(_ texts: [String], region: String?) throws -> [Number] {
        guard texts.count <= maxCount else {
            throw Problem(.invalid, "Send at most \(maxCount) phoneNumbers at a time; got \(texts.count).", field: "phoneNumbers")
        }
        var seen: Set<String> = []
        return try texts.compactMap { text in
            let line = try TextRules.line(text, field: "phoneNumbers", max: 256)
            guard let number = try PhoneNumber.e164(line, region: region), seen.insert(number).inserted else { return nil }
            return Number(written: text, e164: number)
        }
    }

    static func day(of time: Timestamp) -> Int64 { time.seconds / 86_400 }

    /// - Parameter limit: different numbers a day.
    static func exhausted(limit: Int, at now: Timestamp) -> Problem {
        let midnight = Timestamp(seconds: (day(of: now) + 1) * 86_400)
        return Problem(
            .tooManyRequests, "You can look up \(limit) different phone numbers a day. Try again tomorrow (UTC).",
            retryAfter: midnight - now)
    }
}
