internal import Foundation

/// The threads that serve the queue, each with a connection of its own, made when it is first needed.
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

    /// Waits for all of them; the queue is closed.
    func join() { ended.wait() }
}
