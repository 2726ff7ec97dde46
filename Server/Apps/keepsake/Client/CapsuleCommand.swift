import ArgumentParser
import Foundation
import KeepsakeKit
import KeepsakeWire

struct CapsuleCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "capsule", abstract: "Keep a voice recording, which the server transcribes.")

    @Argument(help: "The recording.", completion: .file())
    var file: String

    @Flag(help: "Wait until it is transcribed, and print the transcript.")
    var wait = false

    @Option(help: "With --wait: seconds to wait, 1…86400. Default: 600")
    var timeout = 600

    @Flag(inversion: .prefixedNo, help: "Show how much was sent. Default: on a terminal")
    var progress: Bool?

    @Flag(help: "Keep it on this computer until `keepsake queue send`. This needs no network.")
    var queue = false

    @Flag(help: "One line of JSON: the capsule.")
    var json = false

    func validate() throws {
        guard !queue || !wait else { throw ValidationError("--queue and --wait exclude each other.") }
        guard 1...86_400 ~= timeout else { throw ValidationError("--timeout must be from 1 to 86400 seconds.") }
    }

    func run() async throws {
        try await ClientFailure.reporting(json: json) {
            let recording = try ClientFile.check([file])
            // The server measures the recording and replaces this duration.
            let duration = WaveFile.seconds(recording[0]) ?? 1
            if queue {
                let call = try QueuedCall.capsule(recording[0], duration: duration)
                return try await Queueing.add([call], label: recording[0].lastPathComponent, json: json)
            }
            let server = try ClientFolder().server()
            let created = try await withProgress(recording, isWanted: progress) { progress in
                try await server.capsules.create(recording[0], duration: duration, progress: progress?.handler(recording))
            }
            let capsule = wait ? try await settled(created.id, server) : created
            if json { return try ClientOutput.print(json: capsule, .capsules) }
            try ClientOutput.print("kept the recording as \(capsule.id)")
            if wait { try ClientOutput.print(ClientOutput.line(capsule.transcription ?? Self.missing(capsule))) }
        }
    }

    private static func missing(_ capsule: Capsule) -> String {
        capsule.metadata?.engine == "off" ? "(the server has no transcriber)" : "(no words were understood)"
    }

    /// - Throws: exit code 69 when the transcription failed or took too long. In both cases, the server keeps the recording.
    private func settled(_ id: String, _ server: KeepsakeServer) async throws -> Capsule {
        let end = ContinuousClock.now + .seconds(timeout)
        var pause = Duration.milliseconds(250)
        while true {
            let capsule = try await server.capsules.get(id)
            switch capsule.status {
            case .completed: return capsule
            case .failed: throw ClientFailure(.unavailable, "The recording is kept as \(id), but it could not be transcribed.")
            default: break
            }
            guard ContinuousClock.now + pause < end else {
                throw ClientFailure(.unavailable, "The recording is kept as \(id), but it is not transcribed after \(timeout) s.")
            }
            try await Task.sleep(for: pause)
            pause = min(pause * 2, .seconds(5))
        }
    }
}

/// The header of a WAV file.
enum WaveFile {
    /// - Returns: the length in seconds; `nil` if the file is no WAV file, or its header does not state the length.
    static func seconds(_ file: URL) -> Double? {
        guard let handle = try? FileHandle(forReadingFrom: file), let head = try? handle.read(upToCount: 36), head.count == 36,
            head.prefix(4) == Data("RIFF".utf8), head[8..<16] == Data("WAVEfmt ".utf8)
        else { return nil }
        // These are the bytes per second, as a little-endian number.
        let rate = head[28..<32].reversed().reduce(0) { $0 << 8 | Int64($1) }
        let seconds = Double(ClientFile.size([file]) - 36) / Double(rate)
        return rate > 0 && (0.001...604_800).contains(seconds) ? seconds : nil
    }
}
