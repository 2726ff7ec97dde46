import Core

/// Limits and normalization of looked-up phone numbers. Pure functions.
enum ContactRules {
    /// The most numbers in one request.
    static let maxCount = 1_000

    /// A phone number, as the request wrote it and in E.164 form.
    struct Number: Sendable, Equatable {
        let written: String
        let e164: String
    }

    /// - Returns: the texts to read as numbers.
    /// - Throws: `.invalid` naming `phoneNumbers` for more than 1,000 texts, a text with NUL, or one of more than 256 characters.
    static func lines(_ texts: [String]) throws -> [String] {
        guard texts.count <= maxCount else {
            throw Problem(.invalid, "Send at most \(maxCount) phoneNumbers at a time; got \(texts.count).", field: "phoneNumbers")
        }
        return try texts.map { try TextRules.line($0, field: "phoneNumbers", max: 256) }
    }

    /// The texts of a request, sorted into numbers and other texts.
    struct Numbers: Sendable, Equatable {
        /// The numbers. Of repeated numbers, only the first is kept.
        var numbers: [Number] = []
        /// Texts that are not phone numbers, each once. They count against the limit, because reading them takes as long or longer.
        var others: Set<String> = []

        /// The numbers and texts that count against the limit.
        var counted: [String] { numbers.map(\.e164) + others }
    }

    /// - Parameters:
    ///   - texts: the texts in the request.
    ///   - e164: the number of each text; `nil` for a text that is not a number.
    static func numbers(_ texts: [String], e164: [String?]) -> Numbers {
        var seen: Set<String> = []
        var all = Numbers()
        for (text, number) in zip(texts, e164) {
            if let number {
                if seen.insert(number).inserted { all.numbers.append(Number(written: text, e164: number)) }
            } else if text.contains(where: { !$0.isWhitespace }) {
                all.others.insert(text)
            }
        }
        return all
    }

    /// - Parameter limit: how many different numbers a user may look up in a day, with texts that are not numbers.
    static func exhausted(limit: Int, at now: Timestamp) -> Problem {
        let midnight = Timestamp(daysSince1970: now.daysSince1970 + 1)
        return Problem(
            .tooManyRequests, "You can look up \(limit) different phone numbers a day. Try again tomorrow (UTC).",
            retryAfter: midnight - now)
    }
}
