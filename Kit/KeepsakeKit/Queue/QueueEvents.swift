public import Foundation

/// A change of an `OfflineQueue` that this process made. For changes by other processes, read `OfflineQueue.entries`.
public enum QueueEvent: Sendable, Equatable {
    case added(QueueEntry)
    /// The entry's state, its number of attempts or its error changed.
    case changed(QueueEntry)
    /// How much of the entry's bytes was sent, 0…1, in steps of at least 0.01. If a request is repeated, the fraction returns to its value
    /// at the beginning of that request.
    case progress(QueueEntry.ID, fraction: Double)
    /// The server has created the entry's content, and the queue has removed the entry.
    /// - Parameter response: the JSON of the last response; empty if the content has already been deleted on the server.
    case sent(QueueEntry, response: Data)
    case cancelled(QueueEntry)
    case status(QueueStatus)
    /// The consumer was too slow, so messages were dropped: read `OfflineQueue.entries` again.
    case reset
}

/// The changes of a queue, for one consumer. If the app does not read the messages, the sequence keeps at most 1,000; then it drops them
/// and holds a `.reset` instead.
public struct QueueEvents: AsyncSequence, Sendable {
    public typealias Element = QueueEvent

    let subscriber: QueueSubscriber

    public func makeAsyncIterator() -> Iterator { Iterator(subscriber: subscriber) }

    public struct Iterator: AsyncIteratorProtocol {
        let subscriber: QueueSubscriber

        /// - Returns: `nil` after the task was cancelled.
        public mutating func next() async -> QueueEvent? { await subscriber.next() }
    }
}

/// The messages that one consumer has not read yet.
///
/// `@unchecked Sendable`: `lock` guards every variable.
final class QueueSubscriber: @unchecked Sendable {
    static let capacity = 1_000

    private let lock = NSLock()
    private var messages: [QueueEvent] = []
    /// The number of elements of `messages` that the consumer has read.
    private var readCount = 0
    private var waiting: CheckedContinuation<QueueEvent?, Never>?
    private var hasEnded = false

    func offer(_ event: QueueEvent) {
        let continuation = lock.withLock { () -> CheckedContinuation<QueueEvent?, Never>? in
            guard !hasEnded else { return nil }
            if let waiting {
                self.waiting = nil
                return waiting
            }
            if case .progress(let id, _) = event, readCount < messages.count, case .progress(let last, _)? = messages.last, last == id {
                // Replace the older fraction: the consumer needs only the latest.
                messages[messages.count - 1] = event
            } else if messages.count - readCount == Self.capacity {
                messages = [.reset]
                readCount = 0
            } else {
                messages.append(event)
            }
            return nil
        }
        continuation?.resume(returning: event)
    }

    func next() async -> QueueEvent? {
        await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                let (ready, isReady) = lock.withLock { () -> (QueueEvent?, Bool) in
                    if readCount < messages.count {
                        let event = messages[readCount]
                        readCount += 1
                        // Remove read elements together: removing the first one each time would move all the others each time.
                        if readCount == messages.count || readCount == 256 {
                            messages.removeFirst(readCount)
                            readCount = 0
                        }
                        return (event, true)
                    }
                    if hasEnded { return (nil, true) }
                    waiting = continuation
                    return (nil, false)
                }
                if isReady { continuation.resume(returning: ready) }
            }
        } onCancel: {
            end()
        }
    }

    private func end() {
        let continuation = lock.withLock {
            hasEnded = true
            defer { waiting = nil }
            return waiting
        }
        continuation?.resume(returning: nil)
    }
}
