internal import Core
internal import Jobs

/// Looks for the account of a forgotten password. A job does this, and not the request, so that the response takes the same time for an
/// unknown address.
struct FindResetAccount: Job {
    static let kind = "accounts/find-reset"
    static let policy = JobPolicy(isUrgent: true)
    let email: String
}

/// Sends a reset's mail. The payload does not contain the code: it is derived from the reset's id and a secret of the server.
struct SendResetMail: Job {
    static let kind = "accounts/send-reset"
    /// Mail servers that use greylisting accept a retry after some minutes. After an hour the code has expired.
    static let policy = JobPolicy(
        attempts: 10, firstBackoff: .seconds(30), longestBackoff: .minutes(12), timeout: .minutes(4), isUrgent: true)
    let reset: String
}
