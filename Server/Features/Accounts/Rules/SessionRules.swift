internal import Core

/// Lifetimes of tokens, and the decision about a presented refresh token. Pure.
enum SessionRules {
    /// Lifetime of an access token. A key that no longer signs is needed for this long.
    static let accessLifetime = Duration.hours(1)
    /// Lifetime of a refresh token. Each use issues one with a new lifetime.
    static let refreshLifetime = Duration.days(30)
    /// For this long after a token's first use, presenting the token again returns the same successor, because the first response may have
    /// been lost. Once the successor has been used, this no longer holds.
    static let repeatWindow = Duration.seconds(10)
    /// How long a used token is kept after it expired, so that a late replay still ends the stolen session.
    static let usedTokenMemory = Duration.days(60)

    /// The most refresh tokens that a session gets within `tokenWindow`. Apps need about one an hour. Each token is kept for 90 days, so
    /// that the server can detect a replay.
    static let maxTokens = 60
    static let tokenWindow = Duration.hours(1)

    /// The most sessions of one account that have not ended. A sign-in above this limit ends the session that was used least recently.
    static let maxSessions = 200
    /// The most sessions that one sign-in ends. Accounts from before the limit may have very many.
    static let maxEndedAtSignIn = 100

    /// The precision of a session's time of last use: requests with a cookie update it at most once in this time.
    static let useGrain = Duration.hours(1)

    enum Decision: Sendable, Equatable {
        /// First use: issue the successor.
        case rotate
        /// A repeated request: return the same response; nothing changes.
        case answerAgain
        /// A replay: somebody has a copy, so end the session and with it the whole family of tokens.
        case endFamily
        case refuse
    }

    /// - Parameter since: the time of the oldest among the session's newest `maxTokens` tokens.
    /// - Returns: how long the session must wait for its next token; `nil` when it can get one now.
    static func wait(crowdedSince since: Timestamp, now: Timestamp) -> Duration? {
        let wait = since + tokenWindow - now
        // Even if the clock was set back, the wait is at most `tokenWindow`.
        return wait > .zero ? min(wait, tokenWindow) : nil
    }

    /// - Parameters:
    ///   - isSuccessorUsed: whether the token's successor was already presented. Then the client has received the response with the
    ///     successor, so somebody else presents this token again.
    ///   - familyEndedAt: when the session ended, if it did.
    static func decide(
        usedAt: Timestamp?, isSuccessorUsed: Bool, expiresAt: Timestamp, familyEndedAt: Timestamp?, now: Timestamp
    ) -> Decision {
        guard familyEndedAt == nil else { return .refuse }
        guard let usedAt else { return now < expiresAt ? .rotate : .refuse }
        if isSuccessorUsed { return .endFamily }
        // `age` may be negative, because the clocks of two nodes differ a little. A negative age is limited too: otherwise a clock that was
        // set back would keep the window open for hours. The expiry is not checked: a used token that somebody presents again after a month
        // may be a stolen copy, so it ends the session too.
        let age = now - usedAt
        return age <= repeatWindow && age >= .zero - repeatWindow ? .answerAgain : .endFamily
    }
}

extension Problem {
    /// For a credential whose session has ended, and for one that belongs to no session.
    static let sessionEnded = Problem(.unauthenticated, "This session has ended. Sign in again.")
}
