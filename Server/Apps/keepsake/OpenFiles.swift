#if canImport(Glibc)
    import Glibc
#elseif canImport(Darwin)
    import Darwin
#endif

/// How many files and sockets this process may have open.
enum OpenFiles {
    /// Systems start a process with 1,024 for the sake of old programs that would break with more; this one takes what it may have.
    static func raiseLimit() {
        var limit = rlimit()
        #if canImport(Glibc)
            let resource = __rlimit_resource_t(RLIMIT_NOFILE.rawValue)
        #else
            let resource = RLIMIT_NOFILE
        #endif
        guard getrlimit(resource, &limit) == 0, limit.rlim_cur < limit.rlim_max else { return }
        limit.rlim_cur = limit.rlim_max
        // Refused, it stays as it was, and connections beyond it wait.
        _ = setrlimit(resource, &limit)
    }
}
