internal import Foundation

/// The threads that run the queue's calls, each with its own connection, which is opened when first needed.
final class PostgresThreads: Sendable {
    private let ended = DispatchGroup()

    init(count: Int, _ queue: PostgresQueue, _ makeWorker: @escaping @Sendable () -> PostgresWorker) {
        for number in 1...count {
            ended.enter()
            let thread = Thread { [ended] in
                let worker = makeWorker()
                while let call = queue.take() { call.run(worker) }
                ended.leave()
            }
            thread.name = "postgres-\(number)"
            thread.start()
        }
    }

    /// Waits until all threads have ended. The queue must be closed.
    func join() { ended.wait() }
}
