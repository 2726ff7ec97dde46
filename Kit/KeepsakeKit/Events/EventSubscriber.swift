import Foundation
import KeepsakeWire

/// The messages that one consumer has not read yet.
///
/// `@unchecked Sendable`: `lock` guards every variable.
final class EventSubscriber: @unchecked Sendable {
    static let capacity = 1_000

    private let lock = NSLock()
    private let onEnd: @Sendable () -> Void
    private var messages: [LiveMessage] = []
    private var waiting: CheckedContinuation<LiveMessage?, any Error>?
    private var end: Result<Void, any Error>?
    /// The number of the last event that was offered, whether or not the consumer has read it; `nil` until the first response.
    private var last: Int64?

    init(since: Int64?, onEnd: @escaping @Sendable () -> Void) {
        last = since
        self.onEnd = onEnd
    }

    deinit { onEnd() }

    var position: Int64? { lock.withLock { last } }

    /// A consumer that has no number yet gets the events after `seq`.
    func start(at seq: Int64) { lock.withLock { if last == nil { last = seq } } }

    /// Records that no more events up to this number will come.
    func advance(to seq: Int64) { lock.withLock { if let last, last < seq { self.last = seq } } }

    func offer(_ event: LiveEvent) {
        deliver {
            guard let last, event.seq > last else { return nil }
            self.last = event.seq
            return .event(event)
        }
    }

    func reset(to seq: Int64) {
        deliver {
            last = seq
            messages = []
            return .reset(seq: seq)
        }
    }

    func finish(_ error: (any Error)?) {
        let continuation = lock.withLock {
            if end == nil { end = error.map { .failure($0) } ?? .success(()) }
            defer { waiting = nil }
            return waiting
        }
        if let error { continuation?.resume(throwing: error) } else { continuation?.resume(returning: nil) }
    }

    private func deliver(_ make: () -> LiveMessage?) {
        let (continuation, message) = lock.withLock { () -> (CheckedContinuation<LiveMessage?, any Error>?, LiveMessage?) in
            guard end == nil, let message = make() else { return (nil, nil) }
            if let waiting {
                self.waiting = nil
                return (waiting, message)
            }
            if messages.count == Self.capacity {
                // The consumer is too slow, so its messages are dropped. The reset tells it to read all data again.
                messages = [.reset(seq: last ?? 0)]
            } else {
                messages.append(message)
            }
            return (nil, nil)
        }
        continuation?.resume(returning: message)
    }

    func next() async throws -> LiveMessage? {
        try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { continuation in
                let ready = lock.withLock { () -> Result<LiveMessage?, any Error>? in
                    if !messages.isEmpty { return .success(messages.removeFirst()) }
                    if let end { return end.map { nil } }
                    waiting = continuation
                    return nil
                }
                if let ready { continuation.resume(with: ready) }
            }
        } onCancel: {
            finish(nil)
        }
    }
}
