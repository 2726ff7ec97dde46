internal import Core
internal import Jobs

/// Looks for a registration that waits for its code. A job does this, and not the request, so that the response takes the same time for
/// every address.
struct FindRegistration: Job {
    static let kind = "accounts/find-registration"
    static let policy = JobPolicy(isUrgent: true)
    let email: String
}

/// Sends the mail of a registration. The payload contains neither the address nor the code.
struct SendRegistrationMail: Job {
    static let kind = "accounts/send-registration"
    static let policy = SendResetMail.policy
    let registration: String
}
