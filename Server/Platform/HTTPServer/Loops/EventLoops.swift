import CPlatform
import Foundation
import NIOCore

/// The threads that wait for sockets.
package enum EventLoops {
    /// Sets the number of event loops to the number of processors that this process may use. Call it once, before NIO's singletons are
    /// used. NIO respects a container's limits by itself, but not a processor affinity (`taskset`, systemd's `CPUAffinity=`).
    package static func fitProcessors() {
        let allowed = Int(keepsake_allowed_processors())
        guard 0 < allowed, allowed < System.coreCount else { return }
        guard ProcessInfo.processInfo.environment["NIO_SINGLETON_GROUP_LOOP_COUNT"] == nil else { return }
        NIOSingletons.groupLoopCountSuggestion = allowed
    }
}
