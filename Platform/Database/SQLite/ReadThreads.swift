internal import Foundation

/// Threads for reads, as many as there are readers, so that none waits for a connection. GRDB's own asynchronous read goes by way of two
/// queues of Dispatch, which costs more than what most reads ask of SQLite.
final class ReadThreads: Sendable {
    /// Reads waiting for their turn; the next is refused.
    private static let waitingLimit = 4_096

    private let line = WaitingLine<@Sendable () -> Void>(capacity: waitingLimit)

    init(count: Int) {
        for number in 1...count {
            // Not this object: the threads end when it goes.
            let thread = Thread { [line] in
                while let call = line.take() { call() }
            }
            thread.name = "sqlite-read-\(number)"
            thread.start()
        }
    }

    deinit { line.close() }

    /// - Throws: `DatabaseError.busy` at once when 4,096 callers are waiting already; what `body` throws.
    func run<T: Sendable>(_ body: @escaping @Sendable () throws -> T) async throws -> T {
        try await withCheckedThrowingContinuation { continuation in
            if !line.enter({ continuation.resume(with: Result(catching: body)) }) { continuation.resume(throwing: DatabaseError.busy) }
        }
    }

    /// Those that wait are still served; nobody may come after.
    func close() { line.close() }
}
