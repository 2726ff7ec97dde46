import Core
import Jobs

/// Tells Apple that the tokens of a closed account are of no use any more. A job of its own: whether Apple answers or not, the erasing
/// does not wait for it.
struct RevokeTokens: Job {
    static let kind = "accounts/revoke"
    static let policy = JobPolicy(attempts: 30, longestBackoff: .hours(1), timeout: .minutes(5))

    let account: String
}
