internal import Synchronization

#if canImport(Glibc)
    internal import Glibc
#elseif canImport(Darwin)
    internal import Darwin
#endif

// Inside the class, `kill` refers to its own method.
private let systemKill = kill

/// The running worker processes, so that a shutdown can kill them. A process id is killed only while it is in this set, and is removed
/// before `waitpid` lets the system reuse it.
final class RunningWorkers: Sendable {
    private let processes = Mutex<Set<pid_t>>([])

    func add(_ process: pid_t) { processes.withLock { _ = $0.insert(process) } }

    /// Waits up to `moment` for the process to end, then kills it and its process group.
    /// - Returns: the status from `waitpid`: 0 when the process ended with success.
    @discardableResult
    func end(_ process: pid_t, within moment: Duration = .zero) -> CInt {
        let deadline = ContinuousClock.Instant.now + moment
        var info = siginfo_t()
        // WNOWAIT keeps the process id reserved until it is removed from the set.
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

    /// Kills a running process and its process group; `end` still has to reap it.
    func kill(_ process: pid_t) {
        processes.withLock { if $0.contains(process) { Self.signal(process) } }
    }

    private static func signal(_ process: pid_t) { _ = systemKill(-process, SIGKILL) }

    var all: Set<pid_t> { processes.withLock { $0 } }
}
