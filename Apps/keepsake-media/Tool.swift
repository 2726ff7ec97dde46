import CMedia

#if canImport(Glibc)
    import Glibc
#elseif canImport(Darwin)
    import Darwin
#endif

/// `keepsake-media tool PROGRAM ARGUMENT…`: becomes another program (ffmpeg) that may compute and read files, and nothing else.
enum Tool {
    static let limits = media_limits(
        // One film of 4K, decoded by few threads.
        data: 1024 << 20, address_space: 4096 << 20, file_size: 0, processor_seconds: 60, descriptors: 64)

    static func run(_ command: [String]) -> Never {
        guard let program = command.first else { exit(64) }
        seal()
        var arguments = command.map { strdup($0) } + [nil]
        execv(program, &arguments)
        exit(69)
    }

    /// For tests: tries what a tool must not, and exits with the bits of what it could do. Reading files and executable memory are
    /// a tool's to have.
    static func probe() -> Never {
        seal()
        exit(media_probe_sandbox(0) & ~(8 | 256))
    }

    private static func seal() {
        var limits = limits
        guard media_die_with_parent() == 0, media_limit(&limits) == 0, media_seal_tool() == 0 else { exit(69) }
    }
}
