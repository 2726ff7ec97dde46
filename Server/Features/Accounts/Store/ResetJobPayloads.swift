internal import Core
internal import Jobs

/// Somebody says that the password of that address is forgotten. Whether there is such an account is asked here and not in the request, so
/// that the answer comes as soon for an address that nobody has.
struct FindResetAccount: Job {
    static let kind = "accounts/find-reset"
    let email: String
}

/// Writes to the account's address. The code is not in here: it is made of this id and a key of the server whenever it is needed.
struct SendResetMail: Job {
    static let kind = "accounts/send-reset"
    /// A server that makes strangers wait wants another try after some minutes; over an hour, the code is over as well.
    static let policy = JobPolicy(attempts: 10, firstBackoff: .seconds(30), longestBackoff: .minutes(12), timeout: .minutes(4))
    let reset: String
}
