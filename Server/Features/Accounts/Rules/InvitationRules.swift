internal import Core

/// An invitation to insert.
struct NewInvitation: Sendable {
    let hash: String
    /// A hash of the e-mail address that the invitation is for, together with the code; `nil` when any address can use it.
    let emailHash: String?
    let createdAt: Timestamp
    let expiresAt: Timestamp
}

/// An invitation as a client presents it.
struct PresentedInvitation: Sendable, Equatable {
    let hash: String
    /// A hash of the address that registers, together with the code.
    let emailHash: String

    init(_ code: OneTimeCode, email: String) { self.init(hash: code.hash, emailHash: code.hash(with: email)) }

    init(hash: String, emailHash: String) {
        self.hash = hash
        self.emailHash = emailHash
    }
}

/// Decides whether a presented invitation is valid. Pure.
enum InvitationRules {
    static let lifetimes = Duration.minutes(1)...Duration.days(365)
    /// How long an expired invitation is kept, so that somebody who uses it too late is told that it has expired.
    static let memory = Duration.days(30)

    enum Verdict: Sendable, Equatable {
        case good
        /// The code was never issued, or it expired long ago and was deleted.
        case unknown
        case expired
        /// The case names the account, because the request may be a retry by its owner, whose first response was lost.
        case used(account: String)
        case forAnother
    }

    /// - Parameters:
    ///   - invitedEmailHash: `nil` when any address can use the invitation.
    ///   - usedBy: the account that was registered with the invitation; `nil` when it is unused.
    static func judge(
        invitedEmailHash: String?, presentedEmailHash: String, usedBy: String?, expiresAt: Timestamp, now: Timestamp
    ) -> Verdict {
        // This check comes first, so that a user with somebody else's code learns nothing more about it.
        if let invitedEmailHash, invitedEmailHash != presentedEmailHash { return .forAnother }
        if let usedBy { return .used(account: usedBy) }
        return now < expiresAt ? .good : .expired
    }

    static func problem(_ verdict: Verdict) -> Problem? {
        let message: String? =
            switch verdict {
            case .good: nil
            case .unknown: "This invitation is not known. Check the code."
            case .expired: "This invitation has expired. Ask for another."
            case .used: "This invitation has been used. Ask for another, or sign in."
            case .forAnother: "This invitation is for another e-mail address."
            }
        return message.map { Problem(.forbidden, $0, field: "invite") }
    }
}
