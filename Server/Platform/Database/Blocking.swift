internal import Core

/// Runs `body` on a thread where it may block. Code must not block the threads of Swift's cooperative pool.
package func blocking<T: Sendable>(_ body: @escaping @Sendable () throws -> T) async throws -> T {
    try await ThreadPool.blocking.run(body)
}
