internal import Core

/// An invitation as it is first written.
struct NewInvitation: Sendable {
    let hash: String
    /// Of the address it is for, together with the code; `nil` when it is for whoever holds it.
    let emailHash: String?
    let createdAt: Timestamp
    let expiresAt: Timestamp
}

/// An invitation as it is presented.
struct PresentedInvitation: Sendable, Equatable {
    let hash: String
    /// Of the address that registers, together with the code.
    let emailHash: String

    init(_ code: OneTimeCode, email: String) {
        hash = code.hash
        emailHash = code.hash(with: email)
    }
}

/// What becomes of a presented invitation. Pure.
enum InvitationRules {
    static let lifetimes = Duration.minutes(1)...Duration.days(365)
    /// How long past its end an invitation is remembered, so that who comes late is told why.
    static let memory = Duration.days(30)

    enum Verdict: Sendable, Equatable {
        case good
        /// Nobody was ever given it, or it was long ago.
        case unknown
        case expired
        /// Its account is named: it may be that account's owner who asks again, because the answer was lost.
        case used(account: String)
        case forAnother
    }

    /// - Parameters:
    ///   - invitedEmailHash: `nil` when anybody may come with it.
    ///   - usedBy: the account that was made with it.
    static func judge(
        invitedEmailHash: String?, presentedEmailHash: String, usedBy: String?, expiresAt: Timestamp, now: Timestamp
    ) -> Verdict {
        // First: whoever comes with somebody else's code learns nothing more about it.
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
