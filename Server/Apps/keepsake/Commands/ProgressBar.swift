import Core
import Foundation
import Synchronization

/// A progress bar for bytes on standard error, drawn only on a terminal.
final class ProgressBar: Sendable {
    private let isTerminal = isatty(2) == 1
    /// The share that was last drawn, in thousandths. The bar is redrawn only when this number changes.
    private let drawn = Mutex(-1)

    func show(_ done: Int64, of total: Int64) {
        guard isTerminal else { return }
        let share = total > 0 ? Double(done) / Double(total) : 1
        let isNew = drawn.withLock { drawn in
            defer { drawn = Int(share * 1_000) }
            return drawn != Int(share * 1_000)
        }
        guard isNew else { return }
        let filled = min(40, Int(share * 40))
        let bar = String(repeating: "█", count: filled) + String(repeating: "░", count: 40 - filled)
        FileHandle.standardError.write(Data("\r\(bar) \(Int(share * 100)) % of \(SizeText.rounded(total))".utf8))
    }

    func finish() {
        if isTerminal { FileHandle.standardError.write(Data("\n".utf8)) }
    }
}
