internal import Synchronization

/// Lets a few through at a time; the others stand in line, in the order they came.
///
/// When thousands are woken or come back at once, they would all ask the database at once, and whoever else needs it would stand
/// behind them, or be refused.
final class Turnstile: Sendable {
    private struct State {
        var free: Int
        var lastNumber = 0
        /// From `head` on; some have left the line since.
        var line: [Int] = []
        var head = 0
        var waiting: [Int: CheckedContinuation<Void, any Error>] = [:]

        mutating func next() -> CheckedContinuation<Void, any Error>? {
            while head < line.count {
                let first = waiting.removeValue(forKey: line[head])
                head += 1
                // Half of the line has gone: move the rest to the front, which costs each one move.
                if head * 2 > line.count {
                    line.removeFirst(head)
                    head = 0
                }
                if let first { return first }
            }
            return nil
        }
    }
    private let state: Mutex<State>

    /// - Parameter places: how many are let through at a time, 1... .
    init(places: Int) { state = Mutex(State(free: max(1, places))) }

    /// - Throws: `CancellationError` as soon as the task is cancelled in the line; what `body` throws.
    func pass<T: Sendable>(_ body: () async throws -> T) async throws -> T {
        try await enter()
        defer { leave() }
        return try await body()
    }

    private func enter() async throws {
        let number = state.withLock { state in
            state.lastNumber += 1
            return state.lastNumber
        }
        try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { (continuation: CheckedContinuation<Void, any Error>) in
                let answer = state.withLock { state -> Result<Void, any Error>? in
                    // A cancellation that came before this lock finds nobody to resume, but is seen here.
                    if Task.isCancelled { return .failure(CancellationError()) }
                    if state.free > 0 {
                        state.free -= 1
                        return .success(())
                    }
                    state.line.append(number)
                    state.waiting[number] = continuation
                    return nil
                }
                if let answer { continuation.resume(with: answer) }
            }
        } onCancel: {
            state.withLock { $0.waiting.removeValue(forKey: number) }?.resume(throwing: CancellationError())
        }
    }

    private func leave() {
        let next = state.withLock { state in
            let next = state.next()
            if next == nil { state.free += 1 }
            return next
        }
        next?.resume()
    }
}
