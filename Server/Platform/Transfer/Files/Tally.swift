import Synchronization

/// A count that several tasks add to.
final class Tally: Sendable {
    private let sum = Mutex(0)

    var count: Int { sum.withLock { $0 } }
    func add(_ more: Int) { sum.withLock { $0 += more } }
}
