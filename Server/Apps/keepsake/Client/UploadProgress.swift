import Foundation
import KeepsakeKit

#if canImport(Glibc)
    import Glibc
#elseif canImport(Darwin)
    import Darwin
#endif

/// Shows on standard error how much of an upload was sent, how fast, and how long the rest will take. On a terminal it is a bar, otherwise
/// a line every two seconds.
@MainActor final class UploadProgress {
    private let total: Int64
    private let isTerminal: Bool
    private let start = ContinuousClock.now
    private var shown = ContinuousClock.now
    private var finished: Int64 = 0
    private var done: Int64 = 0
    /// Whether anything happened since the last line ended.
    private var hasNews = false

    /// - Parameters:
    ///   - total: the bytes of all files.
    ///   - isWanted: whether to show progress; `nil` shows it on a terminal only.
    init?(total: Int64, isWanted: Bool?) {
        isTerminal = isatty(2) == 1
        guard isWanted ?? isTerminal, total > 0 else { return nil }
        self.total = total
    }

    /// Makes the progress handler of a request that sends some of the files.
    nonisolated func handler(_ files: [URL]) -> ProgressHandler {
        let byteCount = ClientFile.size(files)
        return { fraction in
            self.done = self.finished + Int64((fraction * Double(byteCount)).rounded())
            if fraction >= 1 { self.finished += byteCount }
            self.hasNews = true
            self.show()
        }
    }

    /// Shows the progress of a queue that sends entries, until the task is cancelled.
    func follow(_ events: QueueEvents, of entries: [QueueEntry]) async {
        let sizes = Dictionary(entries.map { ($0.id, $0.byteCount) }) { $1 }
        for await event in events {
            switch event {
            case .progress(let id, let fraction): done = finished + Int64((fraction * Double(sizes[id] ?? 0)).rounded())
            case .sent(let entry, _):
                finished += sizes[entry.id] ?? 0
                done = finished
            default: continue
            }
            hasNews = true
            show()
        }
    }

    /// Shows what was sent so far and ends the line, so that the next output starts on a new line.
    func endLine() {
        guard hasNews else { return }
        show(isLast: true)
        if isTerminal { write("\n") }
        hasNews = false
    }

    private func show(isLast: Bool = false) {
        let now = ContinuousClock.now
        if !isLast, now - shown < (isTerminal ? .milliseconds(100) : .seconds(2)) { return }
        shown = now
        let text = Self.text(done: min(done, total), total: total, seconds: (now - start) / .seconds(1))
        write(isTerminal ? "\r\(Self.bar(Double(min(done, total)) / Double(total))) \(text)\u{1B}[K" : text + "\n")
    }

    private func write(_ text: String) { try? FileHandle.standardError.write(contentsOf: Data(text.utf8)) }

    nonisolated static func bar(_ fraction: Double) -> String {
        let filled = max(0, min(24, Int(fraction * 24)))
        return String(repeating: "█", count: filled) + String(repeating: "░", count: 24 - filled)
    }

    /// A text like `42 %, 12.3 MB of 29.1 MB, 4.1 MB/s, 0:04 left`.
    nonisolated static func text(done: Int64, total: Int64, seconds: Double) -> String {
        let rate = seconds > 0.05 ? Double(done) / seconds : 0
        var parts = ["\(done * 100 / total) %", "\(ClientOutput.size(done)) of \(ClientOutput.size(total))"]
        if rate >= 1 { parts.append("\(ClientOutput.size(Int64(rate)))/s") }
        if done == total {
            parts.append("\(time(seconds)) in all")
        } else if rate >= 1, Double(total - done) / rate < 360_000 {
            parts.append("\(time((Double(total - done) / rate).rounded(.up))) left")
        }
        return parts.joined(separator: ", ")
    }

    /// A text like `0:04`, `12:30` or `1:02:03`.
    private nonisolated static func time(_ seconds: Double) -> String {
        let (hours, minutes, rest) = (Int(seconds) / 3_600, Int(seconds) / 60 % 60, Int(seconds) % 60)
        func two(_ value: Int) -> String { value < 10 ? "0\(value)" : "\(value)" }
        return hours > 0 ? "\(hours):\(two(minutes)):\(two(rest))" : "\(minutes):\(two(rest))"
    }
}

/// Runs `body`, and shows the progress while it sends these files.
func withProgress<Result: Sendable>(
    _ files: [URL], isWanted: Bool?, _ body: @Sendable (UploadProgress?) async throws -> Result
) async throws -> Result {
    let progress = await UploadProgress(total: ClientFile.size(files), isWanted: isWanted)
    do {
        let result = try await body(progress)
        await progress?.endLine()
        return result
    } catch {
        await progress?.endLine()
        throw error
    }
}
