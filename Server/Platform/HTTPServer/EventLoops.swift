import CPlatform
import Foundation
import NIOCore

/// The threads that wait for sockets.
package enum EventLoops {
    /// One for each processor this process may use, which may be fewer than there are. Call once, before any is used: NIO sees a container's
    /// limits by itself, and not that it was given some of the processors (`taskset`, systemd's `CPUAffinity=`).
    package static func fitProcessors() {
        let allowed = Int(keepsake_allowed_processors())
        guard 0 < allowed, allowed < System.coreCount else { return }
        guard ProcessInfo.processInfo.environment["NIO_SINGLETON_GROUP_LOOP_COUNT"] == nil else { return }
        NIOSingletons.groupLoopCountSuggestion = allowed
    }
}
