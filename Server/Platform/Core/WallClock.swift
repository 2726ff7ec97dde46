#if canImport(Glibc)
    import Glibc
#elseif canImport(Darwin)
    import Darwin
#endif

/// The time of day, injected by initializer so that tests can set it.
package struct WallClock: Sendable {
    private let read: @Sendable () -> Timestamp

    package init(_ read: @escaping @Sendable () -> Timestamp) { self.read = read }

    package var now: Timestamp { read() }

    package static let system = WallClock {
        var t = timespec()
        clock_gettime(CLOCK_REALTIME, &t)
        return Timestamp(microseconds: Int64(t.tv_sec) * 1_000_000 + Int64(t.tv_nsec) / 1_000)
    }
}
