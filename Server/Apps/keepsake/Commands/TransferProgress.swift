import Synchronization
import Transfer

/// Draws the progress of a copy, a backup or a restore as one bar. The bar counts bytes; a row counts as many bytes as an average row has.
final class TransferProgress: Sendable {
    private static let rowByteCount: Int64 = 200

    private struct State {
        var done: Int64 = 0
        var total: Int64 = 0
    }

    private let bar = ProgressBar()
    private let state = Mutex(State())

    func show(_ step: TransferStep) {
        let now = state.withLock { state in
            switch step {
            case .total(let rows, let bytes): state = State(total: 2 * rows * Self.rowByteCount + bytes)
            case .rows(let count), .verified(let count): state.done += Int64(count) * Self.rowByteCount
            case .bytes(let count): state.done += Int64(count)
            }
            return state
        }
        bar.show(min(now.done, now.total), of: now.total)
    }

    func finish() { bar.finish() }
}
