import Core
import Jobs

/// Condenses the captures of an hour to a summary.
struct CondenseHour: Job {
    static let kind = "captures/condense-hour"
    static let policy = JobPolicy(attempts: 5, longestBackoff: .minutes(10), timeout: .minutes(5))

    let hour: CaptureHour
    /// How often the job has waited for captures that were not processed yet.
    var waits = 0
    /// As `CondenseDay.refusals`.
    var refusals: Int?

    /// The most waits: five minutes in all. Then the job condenses what there is. The hour is condensed again when the other captures are
    /// processed.
    static let longestWait = 60
    static let pause: Duration = .seconds(5)
}

/// Condenses the captures of a day to a summary.
struct CondenseDay: Job {
    static let kind = "captures/condense-day"
    static let policy = JobPolicy(attempts: 5, longestBackoff: .minutes(10), timeout: .minutes(5))

    let day: String
    let zone: String
    /// How often in a row captures have changed while they were read. `nil` for none: earlier releases stored jobs without it.
    var refusals: Int?
}
