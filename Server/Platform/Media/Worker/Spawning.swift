internal import CMedia

#if canImport(Glibc)
    internal import Glibc
#elseif canImport(Darwin)
    internal import Darwin
#endif

enum Spawning {
    /// Passes nothing of the server's own environment, which contains its secrets.
    ///
    /// With `OMP_THREAD_LIMIT`, Tesseract computes on one thread. Without it, Tesseract starts four, which wait for each other again and
    /// again. On two idle processors that took twice as long and 1.5 times the processor time; on busy ones it takes longer.
    private static let environment = [
        "LANG=C", "PATH=/usr/bin:/bin", "VIPS_BLOCK_UNTRUSTED=1", "MALLOC_ARENA_MAX=1", "OMP_THREAD_LIMIT=1",
    ]

    /// - Parameter isIsolated: whether to use separate namespaces, where the kernel allows them.
    /// - Returns: 0, or -errno.
    static func start(
        _ program: String, _ arguments: [String], socket: CInt = -1, input: CInt = -1, output: CInt = -1, isIsolated: Bool = true,
        process: inout pid_t
    ) -> CInt {
        var argumentList = ([program] + arguments).map { strdup($0) } + [nil]
        var environmentList = environment.map { strdup($0) } + [nil]
        defer { for text in argumentList + environmentList { free(text) } }
        return media_spawn(program, &argumentList, &environmentList, socket, input, output, isIsolated ? 1 : 0, &process)
    }
}
