import CPlatform
import Core
package import Database
package import Logging
import NIOPosix

/// Returns freed memory to the system, so that the server's memory use falls soon after a period of load.
package enum FreeMemory {
    /// With less free memory than this, in bytes, the server returns none, because the allocator needs some for the next requests.
    private static let leastByteCount = 2 * 1_048_576

    /// With more free memory than this, in bytes, the server returns it within two seconds. New requests do not always fit into the gaps
    /// that earlier ones left, so the memory of the two would add up.
    private static let mostByteCount = 32 * 1_048_576

    /// When the process has more memory than this, in bytes, the server looks for free memory eight times as often, and returns it from
    /// `mostByteCountOfLargeProcess` on. When many connections end and as many begin, the memory of the new ones would otherwise add to
    /// that of the old ones.
    private static let largeByteCount = 256 * 1_048_576
    private static let mostByteCountOfLargeProcess = 16 * 1_048_576

    /// The most free memory, in bytes, that the allocator keeps at the end of an arena. `upkeep` cannot return that memory.
    private static let mostByteCountAtEnd = 1_048_576

    /// Limits what the allocator keeps. Call it at the start of the process.
    package static func limit() { keepsake_limit_free_memory(mostByteCountAtEnd) }

    package static func upkeep(_ database: any Database, logger: Logger) -> [Upkeep] {
        [
            Upkeep("free memory", every: .seconds(20), logger: logger) {
                await database.releaseMemory()
                try await release(leastByteCount)
            },
            Upkeep("much free memory", every: .seconds(2), logger: logger) { try await release(mostByteCount) },
            Upkeep("much free memory of a large process", every: .milliseconds(250), logger: logger) { try await releaseOfLargeProcess() },
        ]
    }

    /// The allocator's count of free memory includes memory that it has already returned to the system. So if the process is hardly smaller
    /// after a run, further runs would only cost time. This run then waits for two seconds, the interval of the usual upkeep.
    private static func releaseOfLargeProcess() async throws {
        guard let used = ProcessMemory.residentByteCount, used > largeByteCount else { return }
        guard try await release(mostByteCountOfLargeProcess), let left = ProcessMemory.residentByteCount else { return }
        if left > used - leastByteCount { try await Task.sleep(for: .seconds(2)) }
    }

    /// Takes milliseconds, during which it would block one of Swift's cooperative threads, so it runs on another thread.
    /// - Returns: whether the process had at least this much free memory, in bytes.
    @discardableResult
    private static func release(_ least: Int) async throws -> Bool {
        try await NIOThreadPool.singleton.runIfActive { keepsake_release_free_memory(least) > 0 }
    }
}
