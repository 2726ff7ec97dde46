import CPlatform
package import Logging
import NIOPosix

/// Gives memory that was freed back to the system, so that a server that was busy is small again soon afterwards.
package enum FreeMemory {
    /// Less than this stays with the allocator, which needs some for the next requests.
    private static let leastByteCount = 16 * 1_048_576

    package static func upkeep(logger: Logger) -> Upkeep {
        Upkeep("free memory", every: .seconds(20), logger: logger) {
            // It takes milliseconds, which would be other tasks' on Swift's own threads.
            try await NIOThreadPool.singleton.runIfActive { _ = keepsake_release_free_memory(leastByteCount) }
        }
    }
}
