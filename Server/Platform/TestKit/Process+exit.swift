package import Foundation

extension Process {
    /// Waits until the process has ended.
    ///
    /// Foundation's `waitUntilExit` waits until all copies of a socket are closed. A process that another thread starts at the same moment
    /// may inherit a copy, so `waitUntilExit` may return only when that process, for example a server, has ended as well.
    /// - Returns: the exit code, or the number of the signal that ended the process. Foundation's properties may not be set yet.
    @discardableResult
    package func waitForExit() -> Int32 {
        var info = siginfo_t()
        // WNOWAIT leaves the process for Foundation to collect.
        while waitid(P_PID, id_t(processIdentifier), &info, WEXITED | WNOWAIT) != 0 {
            guard errno == EINTR else {
                // Foundation has collected it already.
                waitUntilExit()
                return terminationStatus
            }
        }
        #if canImport(Darwin)
            return info.si_status
        #else
            return info._sifields._sigchld.si_status
        #endif
    }
}
