public import Foundation

/// An entry of an `OfflineQueue`: something that the server will create.
public struct QueueEntry: Sendable, Identifiable, Equatable {
    public enum State: Sendable, Equatable {
        /// The entry will be sent when its turn comes.
        case waiting
        /// This process is sending the entry now.
        case sending
        /// The server refused the entry, and would refuse it again: see `error`. The entry stays until `OfflineQueue.retry` or `cancel`.
        case parked
        /// An attempt got no response, and by now the server no longer recognizes a repeat. The content may exist on the server or not. The
        /// app decides: `cancel` if the content exists, `retry` if it does not.
        case uncertain
    }

    public var id: String
    /// The account as which the entry is sent.
    public var userID: String
    public var kind: QueuedCall.Kind
    /// The app's own text, which the queue only stores.
    public var label: String
    /// The time at which the entry was added, by the device's clock.
    public var queuedAt: Date
    /// Bytes of all request bodies together.
    public var byteCount: Int64
    public var state: State
    /// Number of requests sent so far.
    public var attempts: Int
    /// The time at which the current request was first sent, by the server's clock; `nil` before that.
    public var firstAttemptAt: Date?
    /// Why the last attempt failed.
    public var error: KeepsakeError?
}

/// What an `OfflineQueue` does now.
public enum QueueStatus: Sendable, Equatable {
    /// The app has not called `start`, or has called `stop`. Also the status after `start` until the queue has read the folder.
    case stopped
    /// No entry of the account that is signed in waits.
    case idle
    case sending
    /// An attempt failed, perhaps only for now; the queue tries again by itself.
    case waiting(KeepsakeError)
    /// Nobody is signed in, or the server refuses the session or the account. The queue continues after a sign-in.
    case needsSignIn(KeepsakeError)
    /// Another process is sending the entries of this account now.
    case busy
}
