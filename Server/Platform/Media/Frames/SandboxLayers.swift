/// The layers of a tool's sandbox. The probe applies each of them alone, to see what it blocks.
package struct SandboxLayers: OptionSet, Sendable {
    package let rawValue: Int

    package init(rawValue: Int) { self.rawValue = rawValue }

    /// Landlock, and dropping root's capabilities.
    package static let landlock = SandboxLayers(rawValue: 1)
    /// The seccomp filter: a list of allowed system calls.
    package static let calls = SandboxLayers(rawValue: 2)
    /// Resource limits.
    package static let limits = SandboxLayers(rawValue: 4)
    package static let all: SandboxLayers = [.landlock, .calls, .limits]
}
