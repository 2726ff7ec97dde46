public import Foundation

/// A creation in an `OfflineQueue`.
public struct QueueEntry: Sendable, Identifiable, Equatable {
    public enum State: Sendable, Equatable {
        /// It will be sent when its turn comes.
        case waiting
        /// This process is sending it now.
        case sending
        /// The server refused it, and would refuse it again: see `error`. It stays until `OfflineQueue.retry` or `cancel`.
        case parked
        /// An attempt got no response, so long ago that the server no longer recognizes a repeat. The server may have created it or not.
        /// The app decides: `cancel` if it exists, `retry` if it does not.
        case uncertain
    }

    public var id: String
    /// The account that the entry is sent as.
    public var userID: String
    public var kind: QueuedCall.Kind
    /// The app's own text, which the queue only stores.
    public var label: String
    /// By the device's clock.
    public var queuedAt: Date
    /// Bytes of all request bodies together.
    public var byteCount: Int64
    public var state: State
    /// Requests sent so far.
    public var attempts: Int
    /// When the current request was first sent, by the server's clock; `nil` before that.
    public var firstAttemptAt: Date?
    /// Why the last attempt failed.
    public var error: KeepsakeError?
}

/// What an `OfflineQueue` does now.
public enum QueueStatus: Sendable, Equatable {
    /// `start` was not called or has not read the folder yet, or `stop` was called.
    case stopped
    /// Nothing of the account that is signed in waits.
    case idle
    case sending
    /// A failure that may be temporary; the queue tries again by itself.
    case waiting(KeepsakeError)
    /// Nobody is signed in, or the server refuses the session or the account. The queue continues after a sign-in.
    case needsSignIn(KeepsakeError)
    /// Another process sends the entries of this account now.
    case busy
}
