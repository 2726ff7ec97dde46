import Core
import Jobs

/// Revokes the Apple tokens of a closed account. It is a job of its own, so that the erasure does not wait for Apple.
struct RevokeTokens: Job {
    static let kind = "accounts/revoke"
    static let policy = JobPolicy(attempts: 30, longestBackoff: .hours(1), timeout: .minutes(5))

    let account: String
}
