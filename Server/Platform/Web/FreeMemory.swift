import CPlatform
package import Logging
import NIOPosix
import Synchronization

/// Returns memory to the system, so that the server's memory use falls soon after a period of load: what the allocator keeps free, and the
/// code that only the start or the last requests needed.
package enum FreeMemory {
    private static let pause = Duration.seconds(20)
    /// With less free memory than this, in bytes, nothing is returned: the allocator needs some for the next requests.
    private static let leastByteCount = 16 * 1_048_576

    package static func upkeep(logger: Logger) -> Upkeep {
        let rounds = Rounds()
        return Upkeep("free memory", every: pause, logger: logger) {
            let isIdle = rounds.idleness.withLock { $0.next(processorTime: .microseconds(keepsake_processor_time())) }
            // The calls take milliseconds, during which they would block one of Swift's cooperative threads.
            try await NIOThreadPool.singleton.runIfActive {
                _ = keepsake_release_free_memory(leastByteCount)
                if isIdle { releaseCode() }
            }
        }
    }

    static func releaseCode() { keepsake_release_code() }

    private final class Rounds: Sendable {
        let idleness = Mutex(Idleness())
    }

    /// Finds rounds in which the server had hardly anything to do. A busy server keeps its code mapped: mapping it again takes a few
    /// milliseconds of processor time, spread over the next requests.
    struct Idleness {
        /// Processor time that an idle server uses in a round at most.
        static let limit = FreeMemory.pause / 100
        private var last: Duration?
        private var wasReleased = false

        /// - Parameter processorTime: of all threads since the start.
        /// - Returns: whether to release the code now: once after each busy period, after the first idle round.
        mutating func next(processorTime: Duration) -> Bool {
            defer { last = processorTime }
            guard let last else { return false }
            guard processorTime - last <= Self.limit else {
                wasReleased = false
                return false
            }
            defer { wasReleased = true }
            return !wasReleased
        }
    }
}
