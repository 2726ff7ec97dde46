import Foundation

/// Receives the fraction of an upload or a download, 0…1, on the main actor; it never decreases, and 1 comes last.
public typealias ProgressHandler = @MainActor @Sendable (Double) -> Void

/// Brings fractions from any thread to the main actor. It keeps only the newest, so a busy main actor cannot make a queue grow.
///
/// `@unchecked Sendable`: `lock` guards every variable.
final class ProgressReport: @unchecked Sendable {
    private let handler: ProgressHandler
    private let lock = NSLock()
    private var newest = 0.0
    private var delivered = -1.0
    private var isDelivering = false

    init(_ handler: @escaping ProgressHandler) { self.handler = handler }

    convenience init?(_ handler: ProgressHandler?) {
        guard let handler else { return nil }
        self.init(handler)
    }

    var report: TransportProgress { { self.receive($0) } }

    /// Makes the handler of one of several parts. The parts run one after the other, and each counts the same.
    func part(_ index: Int, of count: Int) -> TransportProgress {
        { self.receive((Double(index) + $0) / Double(count)) }
    }

    private func receive(_ fraction: Double) {
        let starts = lock.withLock {
            newest = max(newest, fraction)
            defer { isDelivering = true }
            return !isDelivering
        }
        // At most one such task exists. It ends after one call of the handler.
        if starts { Task { @MainActor in self.deliver() } }
    }

    @MainActor private func deliver() {
        let fraction = lock.withLock { () -> Double? in
            isDelivering = false
            // A repeated attempt starts again at 0, but the handler's fractions never decrease.
            guard newest > delivered else { return nil }
            delivered = newest
            return newest
        }
        if let fraction { handler(fraction) }
    }

    func finish() async {
        lock.withLock { newest = 1 }
        await MainActor.run { self.deliver() }
    }
}
