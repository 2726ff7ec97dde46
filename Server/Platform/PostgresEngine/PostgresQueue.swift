internal import Foundation

/// The calls that wait for a connection, in order. Threads take them one by one.
///
/// @unchecked: everything is guarded by `condition`.
final class PostgresQueue: @unchecked Sendable {
    /// Maximum number of waiting calls; the next is refused.
    private let capacity: Int
    private let condition = NSCondition()
    private var waiting: [any PostgresCall] = []
    private var head = 0
    private var isClosed = false

    init(capacity: Int) { self.capacity = capacity }

    var count: Int { condition.withLock { waiting.count - head } }

    /// - Returns: false when the queue is full.
    func enter(_ call: any PostgresCall) -> Bool {
        condition.withLock {
            guard waiting.count - head < capacity else { return false }
            waiting.append(call)
            condition.signal()
            return true
        }
    }

    /// Blocks until there is a call; `nil` once the queue is closed and empty.
    func take() -> (any PostgresCall)? {
        condition.withLock {
            while head == waiting.count {
                if isClosed { return nil }
                condition.wait()
            }
            let call = waiting[head]
            head += 1
            // Half of the array is used up: move the rest to the front. Each call is moved once on average.
            if head * 2 >= waiting.count {
                waiting.removeFirst(head)
                head = 0
            }
            return call
        }
    }

    func close() {
        condition.withLock {
            isClosed = true
            condition.broadcast()
        }
    }
}
