/// What a tool is sealed off by; each of them alone, to see what it refuses.
package struct SandboxLayers: OptionSet, Sendable {
    package let rawValue: Int

    package init(rawValue: Int) { self.rawValue = rawValue }

    /// Landlock, and the loss of root's capabilities.
    package static let landlock = SandboxLayers(rawValue: 1)
    /// The list of system calls.
    package static let calls = SandboxLayers(rawValue: 2)
    /// Resource limits.
    package static let limits = SandboxLayers(rawValue: 4)
    package static let all: SandboxLayers = [.landlock, .calls, .limits]
}
