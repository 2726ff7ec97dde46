#if canImport(Glibc)
    import Glibc
#elseif canImport(Darwin)
    import Darwin
#endif

/// The limit on how many files and sockets this process may have open.
enum OpenFiles {
    /// Raises the limit to the maximum that the system allows. Systems start processes with a limit of 1,024, because some old programs
    /// cannot handle more.
    static func raiseLimit() {
        var limit = rlimit()
        #if canImport(Glibc)
            let resource = __rlimit_resource_t(RLIMIT_NOFILE.rawValue)
        #else
            let resource = RLIMIT_NOFILE
        #endif
        guard getrlimit(resource, &limit) == 0, limit.rlim_cur < limit.rlim_max else { return }
        limit.rlim_cur = limit.rlim_max
        // If the system refuses, the limit stays as it was, and connections beyond it wait.
        _ = setrlimit(resource, &limit)
    }
}
