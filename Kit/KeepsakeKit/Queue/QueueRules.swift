import Foundation

/// Decides what happens to an entry whose request failed.
enum QueueRules {
    enum Verdict: Equatable {
        /// Try again later; the entries behind it wait.
        case wait
        /// Nothing of this account can be sent before a sign-in.
        case needsSignIn
        /// The server has refused it for good.
        case park
        /// What the request created has been deleted since.
        case isGone
    }

    /// If something between app and server refuses an entry, such as the sign-in page of a hotel's network, the queue parks the entry after
    /// this number of attempts.
    static let intermediaryAttempts = 5
    /// If the server responds to an entry with 5xx, or with `failed_to_save` on the socket of captures, the queue parks the entry after
    /// this number of attempts, but not before `faultAge`. So an entry that the server cannot process does not stop the others for ever,
    /// and an outage does not park all of them.
    static let faultAttempts = 20
    /// In seconds, from the first attempt.
    static let faultAge: TimeInterval = 86_400

    /// - Parameters:
    ///   - attempts: how often the queue has sent the entry, including the attempt that failed now.
    ///   - wasSent: whether the same request was sent before.
    ///   - age: since the request was first sent, in seconds.
    static func verdict(_ error: KeepsakeError, attempts: Int, wasSent: Bool, age: TimeInterval) -> Verdict {
        if [.signedOut, .sessionChanged].contains(error.code) { return .needsSignIn }
        let isOld = attempts >= faultAttempts && age >= faultAge
        guard let status = error.status else {
            if error.code == .failedToSave, isOld { return .park }
            return error.isRetryable || error.code == .cancelled ? .wait : .park
        }
        let isFromServer = error.requestID != nil
        switch status {
        // A sign-in changes nothing for a proxy that asks for a password of its own.
        case 401: return isFromServer ? .needsSignIn : .wait
        // A request with the key is in progress: perhaps the one before, whose response was lost.
        case 409 where error.retryAfter != nil: return .wait
        case 408, 425, 429: return .wait
        case 410 where isFromServer && wasSent: return .isGone
        case 400..<500, 501, 505: return isFromServer || attempts >= intermediaryAttempts ? .park : .wait
        // 2xx and 3xx: not a response of this API.
        default: return isOld ? .park : .wait
        }
    }
}
