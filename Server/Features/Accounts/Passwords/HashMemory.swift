internal import Core
internal import Foundation

/// Limits the memory of password hashes. Each hash takes 32 MiB while it runs. If the process already uses much memory, a second hash waits
/// until the first one has ended.
///
/// @unchecked: `condition` protects `runningCount`.
final class HashMemory: @unchecked Sendable {
    /// With more resident memory than this, in bytes, the process runs one hash at a time. It is far below the 400 MB to which the server
    /// limits its memory: the memory of a hash counts as resident only when the hash has written to it, and the memory of requests can
    /// grow while the hash runs.
    static let largeByteCount = 256 * 1_048_576

    private let residentByteCount: @Sendable () -> Int?
    private let condition = NSCondition()
    private var runningCount = 0

    /// - Parameter residentByteCount: the resident memory of the process; `nil` if the system does not report it. Then there is no limit.
    init(residentByteCount: @escaping @Sendable () -> Int? = { ProcessMemory.residentByteCount }) {
        self.residentByteCount = residentByteCount
    }

    /// Runs `work`, which makes one hash. Blocks the thread until there is room for it.
    func use<T>(_ work: () throws -> T) rethrows -> T {
        condition.lock()
        while runningCount > 0, residentByteCount() ?? 0 > Self.largeByteCount { condition.wait() }
        runningCount += 1
        condition.unlock()
        defer {
            condition.lock()
            runningCount -= 1
            condition.broadcast()
            condition.unlock()
        }
        return try work()
    }
}
