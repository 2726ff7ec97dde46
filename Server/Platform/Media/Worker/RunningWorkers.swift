internal import Synchronization

#if canImport(Glibc)
    internal import Glibc
#elseif canImport(Darwin)
    internal import Darwin
#endif

// Inside the class `kill` is its own.
private let systemKill = kill

/// The processes that run, so that a shutdown can end them. A process id is killed only while it is in here, and leaves before
/// `waitpid` gives the number free.
final class RunningWorkers: Sendable {
    private let processes = Mutex<Set<pid_t>>([])

    func add(_ process: pid_t) { processes.withLock { _ = $0.insert(process) } }

    /// Waits for its end, for a moment, then kills it and everything in its group.
    /// - Returns: how it ended, as `waitpid` says: 0 when it said itself that all was well.
    @discardableResult
    func end(_ process: pid_t, within moment: Duration = .zero) -> CInt {
        let deadline = ContinuousClock.Instant.now + moment
        var info = siginfo_t()
        // WNOWAIT: the number stays taken until it is out of the set.
        while ContinuousClock.Instant.now < deadline, waitid(P_PID, id_t(process), &info, WEXITED | WNOWAIT | WNOHANG) == 0,
            info.si_signo == 0
        {
            usleep(1000)
        }
        processes.withLock {
            Self.signal(process)
            $0.remove(process)
        }
        var status: CInt = -1
        while waitpid(process, &status, 0) < 0, errno == EINTR {}
        return status
    }

    func killAll() {
        processes.withLock { for process in $0 { Self.signal(process) } }
    }

    /// Kills one that runs, with everything in its group; whoever waits for its end sees it.
    func kill(_ process: pid_t) {
        processes.withLock { if $0.contains(process) { Self.signal(process) } }
    }

    private static func signal(_ process: pid_t) { _ = systemKill(-process, SIGKILL) }

    var all: Set<pid_t> { processes.withLock { $0 } }
}
