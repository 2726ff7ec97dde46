internal import CMedia
internal import Foundation
internal import MediaFrames

#if canImport(Glibc)
    internal import Glibc
#elseif canImport(Darwin)
    internal import Darwin
#endif

/// Tests what a compromised decoder could do on this machine by trying it, with all layers of the sandbox and with each layer alone.
package struct SandboxProbe: Sendable {
    /// The operations that the probe tries; `words` is the operation's name in the report.
    package enum Attempt: Int, CaseIterable, Sendable {
        case file = 2
        case environment = 4
        case memory = 8
        case signal = 16
        case tracing = 128
        case socket = 1
        case process = 64
        case writing = 32
        case muchMemory = 256

        var words: String {
            switch self {
            case .file: "reading the database"
            case .environment: "reading the server's environment"
            case .memory: "reading the server's memory"
            case .signal: "signalling the server"
            case .tracing: "tracing the server"
            case .socket: "opening sockets"
            case .process: "starting processes"
            case .writing: "writing files"
            case .muchMemory: "taking 8 GB of memory"
            }
        }
    }

    package struct Report: Sendable {
        /// 1 or more; `nil` without Landlock.
        package var landlock: Int?
        package var hasNamespaces: Bool
        /// What succeeds on this machine without a sandbox.
        package var unsealed: Set<Attempt>
        /// What succeeds under each layer alone, by the layer's name.
        package var layers: [(name: String, works: Set<Attempt>)]
        /// What succeeds under all layers, as decoders run.
        package var sealed: Set<Attempt>
    }

    private let options: MediaWorkerOptions

    package init(_ options: MediaWorkerOptions) { self.options = options }

    /// - Parameters:
    ///   - victim: the process that the probe attacks; default: this process.
    ///   - file: a file that no decoder may read.
    package func run(victim: Int32 = getpid(), file: String) throws -> Report {
        let version = media_landlock_version()
        let hasNamespaces = media_has_namespaces() != 0
        var layers = [
            ("Landlock", try works(.landlock, false, victim, file)), ("the list of calls", try works(.calls, false, victim, file)),
            ("resource limits", try works(.limits, false, victim, file)),
        ]
        if version <= 0 { layers.removeFirst() }
        if hasNamespaces { layers.append(("namespaces", try works([], true, victim, file))) }
        return Report(
            landlock: version > 0 ? Int(version) : nil, hasNamespaces: hasNamespaces, unsealed: try works([], false, victim, file),
            layers: layers, sealed: try works(.all, true, victim, file))
    }

    private func works(_ layers: SandboxLayers, _ isIsolated: Bool, _ victim: Int32, _ file: String) throws -> Set<Attempt> {
        let arguments = ["probe-tool", "\(layers.rawValue)", "\(victim)", file]
        let output = try ToolProcess(options, RunningWorkers()).run(
            arguments: arguments, isIsolated: isIsolated, input: -1, outputByteCount: 1_024, job: nil)
        guard let bits = Int(String(decoding: output, as: UTF8.self).split(separator: "\n").first ?? "") else { throw MediaFailure.crashed }
        return Set(Attempt.allCases.filter { bits & $0.rawValue != 0 })
    }
}

extension SandboxProbe.Report {
    /// What is blocked, and by which layer.
    package var description: String {
        let refused = SandboxProbe.Attempt.allCases.filter { !sealed.contains($0) }.map { attempt in
            var by = layers.filter { !$0.works.contains(attempt) && unsealed.contains(attempt) }.map(\.name)
            if !unsealed.contains(attempt) { by = ["the system, to every process of this user"] }
            return "\(attempt.words) (by \(by.joined(separator: ", ")))"
        }
        let kernel = [landlock.map { "Landlock \($0)" } ?? "no Landlock", hasNamespaces ? "namespaces" : "no namespaces"]
        return "the sandbox blocks \(refused.joined(separator: "; ")). This kernel: \(kernel.joined(separator: ", "))"
    }

    /// A description of what is wrong; `nil` when nothing is.
    package var fault: String? {
        guard !sealed.isEmpty else { return nil }
        let words = SandboxProbe.Attempt.allCases.filter(sealed.contains).map(\.words).joined(separator: ", ")
        let why =
            landlock == nil
            ? "this kernel has no Landlock; use Linux 5.13 or newer, with landlock among its security modules"
            : "the sandbox does not hold on this kernel"
        return "the sandbox does not block \(words): \(why)"
    }
}

/// Protects the server from other processes of its user.
package enum OwnProcess {
    /// Prevents all processes but root's from reading the server's memory and environment, which contain its secrets.
    /// - Returns: whether the system accepted it.
    @discardableResult
    package static func hide() -> Bool { media_hide_process() == 0 }
}
