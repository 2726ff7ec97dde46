package import NIOPosix

extension NIOThreadPool {
    /// Runs `body` on one of the pool's threads, where it may block. Cancellation of the task does not cancel it: cleanup after a cancelled
    /// request must still happen.
    package func perform<T: Sendable>(_ body: @escaping @Sendable () throws -> T) async throws -> T {
        try await withCheckedThrowingContinuation { continuation in
            submit { state in
                switch state {
                case .active: continuation.resume(with: Result(catching: body))
                case .cancelled: continuation.resume(throwing: BlobError.closed)
                }
            }
        }
    }
}
