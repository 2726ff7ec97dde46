import Core
import Jobs

/// Counts the words of a __thing__'s title.
struct Count__Thing__Words: Job {
    static let kind = "__things__/words"
    static let policy = JobPolicy(attempts: 5, longestBackoff: .minutes(10), timeout: .minutes(1))

    let id: String
}
