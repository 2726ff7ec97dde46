public struct MoodStatisticsInput: Codable, Sendable {
    public var userId: String
    /// A day, `2026-12-01`, or a moment, ISO 8601; default 30 days before `to`.
    public var from: String?
    /// The last day that counts, or the moment before which counts; default now.
    public var to: String?
    /// Where days begin, for example `Europe/Berlin`; default the server's setting.
    public var timeZone: String?

    public init(userId: String, from: String? = nil, to: String? = nil, timeZone: String? = nil) {
        self.userId = userId
        self.from = from
        self.to = to
        self.timeZone = timeZone
    }
}

/// How often which mood was felt, and how strongly.
public struct MoodStatisticsResponse: Codable, Sendable, Equatable {
    public struct Tally: Codable, Sendable, Equatable {
        public var mood: String
        public var count: Int
        /// 1…10, of those that have one; absent when none has.
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
        /// The most frequent first.
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
    /// Over all days, the most frequent first.
    public var moods: [Tally]
    /// Days that have a mood, the earliest first.
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
