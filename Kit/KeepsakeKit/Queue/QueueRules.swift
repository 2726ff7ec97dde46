import Foundation

/// Decides what happens to an entry whose request failed.
enum QueueRules {
    enum Verdict: Equatable {
        /// The queue tries again later; the entries after this one wait.
        case wait
        /// The queue cannot send any entry of this account before a sign-in.
        case needsSignIn
        /// The server has refused the entry for good.
        case park
        /// The content that the request created has already been deleted on the server.
        case isGone
    }

    /// The number of attempts after which the queue parks an entry that something between the client and the server refuses, such as the
    /// sign-in page of a hotel's network.
    static let intermediaryAttempts = 5
    /// If the server responds to an entry with 5xx, or with `failed_to_save` on the socket of captures, the queue parks the entry after
    /// this number of attempts, but not before `faultAge`. This way an entry that the server cannot process does not block the others
    /// forever, and an outage does not park all of them.
    static let faultAttempts = 20
    /// Seconds since the first attempt.
    static let faultAge: TimeInterval = 86_400

    /// - Parameters:
    ///   - attempts: the number of times the queue has sent the entry, including the attempt that failed now.
    ///   - wasSent: whether the same request was sent before.
    ///   - age: seconds since the request was first sent.
    static func verdict(_ error: KeepsakeError, attempts: Int, wasSent: Bool, age: TimeInterval) -> Verdict {
        if [.signedOut, .sessionChanged].contains(error.code) { return .needsSignIn }
        let isOld = attempts >= faultAttempts && age >= faultAge
        guard let status = error.status else {
            if error.code == .failedToSave, isOld { return .park }
            return error.isRetryable || error.code == .cancelled ? .wait : .park
        }
        let isFromServer = error.requestID != nil
        switch status {
        // A 401 of a proxy that asks for its own password is different: a sign-in to the server would not help.
        case 401: return isFromServer ? .needsSignIn : .wait
        // The server is still processing a request with this key, perhaps an earlier attempt whose response was lost.
        case 409 where error.retryAfter != nil: return .wait
        case 408, 425, 429: return .wait
        case 410 where isFromServer && wasSent: return .isGone
        case 400..<500, 501, 505: return isFromServer || attempts >= intermediaryAttempts ? .park : .wait
        // A 2xx or 3xx that ends up here is not a response of this API.
        default: return isOld ? .park : .wait
        }
    }
}
