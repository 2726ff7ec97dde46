public struct MoodStatisticsInput: Codable, Sendable {
    public var userId: String
    /// The beginning of the range: a day (`2026-12-01`) or a time (ISO 8601); inclusive. Default: 30 days before `to`.
    public var from: String?
    /// The end of the range: a day, which is included as a whole, or a time, which is excluded. Default: now.
    public var to: String?
    /// The time zone in which days begin, for example `Europe/Berlin`. Default: the account's time zone.
    public var timeZone: String?

    public init(userId: String, from: String? = nil, to: String? = nil, timeZone: String? = nil) {
        self.userId = userId
        self.from = from
        self.to = to
        self.timeZone = timeZone
    }
}

/// How often each mood was recorded, and with what intensity.
public struct MoodStatisticsResponse: Codable, Sendable, Equatable {
    public struct Tally: Codable, Sendable, Equatable {
        public var mood: String
        public var count: Int
        /// The mean intensity, 1…10, of the moods that have an intensity; absent when none has.
        public var meanIntensity: Double?

        public init(mood: String, count: Int, meanIntensity: Double?) {
            self.mood = mood
            self.count = count
            self.meanIntensity = meanIntensity
        }
    }

    public struct Day: Codable, Sendable, Equatable {
        /// The day, for example `2026-12-31`.
        public var date: String
        public var count: Int
        public var meanIntensity: Double?
        /// The day's moods, most frequent first. Only moods that the response's `moods` contains; if the day has none of them, the day's
        /// most frequent mood.
        public var moods: [Tally]

        public init(date: String, count: Int, meanIntensity: Double?, moods: [Tally]) {
            self.date = date
            self.count = count
            self.meanIntensity = meanIntensity
            self.moods = moods
        }
    }

    public var success: Bool
    public var count: Int
    public var meanIntensity: Double?
    /// Totals over all days, most frequent first: at most 1,000 moods, and fewer if the response would be longer than 4 MB. `count` and
    /// `meanIntensity`, also in `days`, include the moods that were left out.
    public var moods: [Tally]
    /// Days with at least one mood, earliest first.
    public var days: [Day]
    public var timeZone: String

    public init(count: Int, meanIntensity: Double?, moods: [Tally], days: [Day], timeZone: String) {
        success = true
        self.count = count
        self.meanIntensity = meanIntensity
        self.moods = moods
        self.days = days
        self.timeZone = timeZone
    }
}
