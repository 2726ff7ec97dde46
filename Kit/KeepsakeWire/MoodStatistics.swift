public struct MoodStatisticsInput: Codable, Sendable {
    public var userId: String
    /// A day (`2026-12-01`) or an instant (ISO 8601); inclusive. Default: 30 days before `to`.
    public var from: String?
    /// A day, which is included, or an instant, which is excluded. Default: now.
    public var to: String?
    /// The time zone in which days begin, for example `Europe/Berlin`. Default: the account's.
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
        /// 1…10, the mean of the moods that have an intensity; absent when none has.
        public var meanIntensity: Double?

        public init(mood: String, count: Int, meanIntensity: Double?) {
            self.mood = mood
            self.count = count
            self.meanIntensity = meanIntensity
        }
    }

    public struct Day: Codable, Sendable, Equatable {
        /// `2026-12-31`.
        public var date: String
        public var count: Int
        public var meanIntensity: Double?
        /// Most frequent first: those of the response's `moods`, or the most frequent one if none of these is on this day.
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
    /// `meanIntensity`, also those of `days`, include the other moods.
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
