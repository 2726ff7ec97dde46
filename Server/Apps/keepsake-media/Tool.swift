import CMedia
import MediaFrames

#if canImport(Glibc)
    import Glibc
#elseif canImport(Darwin)
    import Darwin
#endif

/// `keepsake-media tool [--read=PATH]… [--nice[=N]] [--seconds=N] [--megabytes=N] PROGRAM ARGUMENT…`: replaces this process with another
/// program (ffmpeg) in a sandbox. The program can compute and can read its libraries, its standard input and the files that `--read`
/// names, and nothing else. `--nice` gives the program the lowest priority, and `--nice=N` a priority lower by N. `--seconds` sets another
/// limit of processor time, and `--megabytes` another limit of memory.
enum Tool {
    static let limits = media_limits(
        // These limits suffice for a 4K film, decoded with few threads.
        data: 1024 << 20, address_space: 4096 << 20, file_size: 0, processor_seconds: 60, descriptors: 64)

    static func run(_ arguments: [String]) -> Never {
        let flags = arguments.prefix { $0.hasPrefix("--") }
        func values(_ flag: String) -> [String] { flags.filter { $0.hasPrefix(flag) }.map { String($0.dropFirst(flag.count)) } }
        let command = Array(arguments.dropFirst(flags.count))
        guard let program = command.first else { exit(64) }
        var limits = limits
        if let seconds = values("--seconds=").last.flatMap({ UInt64($0) }) { limits.processor_seconds = seconds }
        if let megabytes = values("--megabytes=").last.flatMap({ UInt64($0) }) { limits.data = megabytes << 20 }
        if flags.contains("--nice") { _ = nice(19) }
        if let step = values("--nice=").last.flatMap({ CInt($0) }) { _ = nice(step) }
        guard seal(.all, program, values("--read="), limits) else { exit(69) }
        var list = command.map { strdup($0) } + [nil]
        execv(program, &list)
        exit(69)
    }

    /// `keepsake-media probe-tool LAYERS PROCESS FILE`, for `keepsake doctor` and for tests. Enters a sandbox with only the given layers
    /// (`SandboxLayers`), and tries forbidden actions on the process and the file. Prints a number in which each bit stands for an action
    /// that succeeded.
    static func probe(_ arguments: [String]) -> Never {
        guard arguments.count == 3, let layers = Int(arguments[0]).map(SandboxLayers.init), let victim = pid_t(arguments[1]),
            let program = CommandLine.arguments.first
        else { exit(64) }
        guard seal(layers, program, [], limits) else { exit(69) }
        print(media_probe_sandbox(victim, arguments[2], 0))
        fflush(nil)
        exit(0)
    }

    private static func seal(_ layers: SandboxLayers, _ program: String, _ readable: [String], _ limits: media_limits) -> Bool {
        var limits = limits
        guard media_die_with_parent() == 0 else { return false }
        if layers.contains(.limits), media_limit(&limits) != 0 { return false }
        if layers.contains(.landlock) {
            _ = media_drop_capabilities()
            let paths = readable.map { UnsafePointer<CChar>(strdup($0)) } + [nil]
            guard media_confine(program, paths) == 0 else { return false }
        }
        return !layers.contains(.calls) || media_seal_tool() == 0
    }
}
