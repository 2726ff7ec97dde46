internal import Core

/// How long tokens live and what a presented refresh token leads to. Pure.
enum SessionRules {
    /// Of an access token, and so the longest that a key which signs no more is still needed.
    static let accessLifetime = Duration.hours(1)
    /// Of a refresh token that is not used; each use begins anew.
    static let refreshLifetime = Duration.days(30)
    /// A reply can get lost: for this long after a token's first use, presenting it again gives the same successor, unless that was
    /// used meanwhile.
    static let repeatWindow = Duration.seconds(10)
    /// How long past its expiry a used token is remembered, so that a late replay still ends what was stolen.
    static let usedTokenMemory = Duration.days(60)

    /// How exactly it is known when a session was last used: a cookie's request writes no more often.
    static let useGrain = Duration.hours(1)

    enum Decision: Sendable, Equatable {
        /// First use: its successor begins.
        case rotate
        /// The same answer once more; nothing changes.
        case answerAgain
        /// Somebody holds a copy: the whole family ends.
        case endFamily
        case refuse
    }

    /// - Parameters:
    ///   - familyEndedAt: when the session ended, if it did.
    ///   - isSuccessorUsed: whether the refresh token that follows was presented already: then its holder had the reply, and whoever
    ///     presents this one again is somebody else.
    static func decide(
        usedAt: Timestamp?, isSuccessorUsed: Bool, expiresAt: Timestamp, familyEndedAt: Timestamp?, now: Timestamp
    ) -> Decision {
        guard familyEndedAt == nil else { return .refuse }
        guard let usedAt else { return now < expiresAt ? .rotate : .refuse }
        if isSuccessorUsed { return .endFamily }
        // In both directions: the clocks of two nodes differ by a little, and a clock set back must not open the window for hours.
        // Asked before the expiry: who presents a token that was used a month ago may be the one it was stolen from.
        let age = now - usedAt
        return age <= repeatWindow && age >= .zero - repeatWindow ? .answerAgain : .endFamily
    }
}
