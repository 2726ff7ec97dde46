import Foundation

/// All consumers of a queue's changes. It has a lock, because transports report the progress of a request on any thread.
///
/// `@unchecked Sendable`: `lock` guards `all`.
final class QueueSubscribers: @unchecked Sendable {
    private struct Weak { weak var subscriber: QueueSubscriber? }

    private let lock = NSLock()
    private var all: [Weak] = []

    func add(_ subscriber: QueueSubscriber) {
        lock.withLock {
            all.removeAll { $0.subscriber == nil }
            all.append(Weak(subscriber: subscriber))
        }
    }

    func offer(_ event: QueueEvent) {
        for subscriber in lock.withLock({ all.compactMap(\.subscriber) }) { subscriber.offer(event) }
    }
}

/// Reports to consumers how much of an entry was sent, while one of its requests is being sent.
///
/// `@unchecked Sendable`: `lock` guards `reported`.
final class QueueProgress: @unchecked Sendable {
    private static let step = 0.01

    private let id: QueueEntry.ID
    private let total: Double
    /// Bytes of the entry's requests before this one.
    private let sent: Double
    /// Bytes of this request.
    private let size: Double
    private let subscribers: QueueSubscribers
    private let lock = NSLock()
    private var reported = -1.0

    /// - Parameter folder: the folder that contains the bodies.
    /// - Returns: `nil` if the request has no body.
    init?(of entry: StoredEntry, in folder: String, _ subscribers: QueueSubscribers) {
        func byteCount(_ step: StoredEntry.Step) -> Double {
            guard let body = step.body else { return 0 }
            return (try? FileManager.default.attributesOfItem(atPath: "\(folder)/\(body)")[.size] as? NSNumber)?.doubleValue ?? 0
        }
        id = entry.id
        total = Double(entry.byteCount)
        sent = entry.steps.prefix(entry.step).reduce(0) { $0 + byteCount($1) }
        size = byteCount(entry.steps[entry.step])
        self.subscribers = subscribers
        guard size > 0, total > 0 else { return nil }
    }

    var report: TransportProgress { { self.receive($0) } }

    private func receive(_ fraction: Double) {
        let fraction = min(1, (sent + fraction * size) / total)
        lock.withLock {
            guard fraction >= reported + Self.step || fraction == 1 && reported < 1 else { return }
            reported = fraction
            // Report within the lock, so that the fractions arrive in order.
            subscribers.offer(.progress(id, fraction: fraction))
        }
    }
}
