internal import Core
internal import Foundation
package import MediaTools

/// CMU's PocketSphinx, offline: a process of its own for each piece, sealed off as the decoders are. A draft engine, in English only.
package struct PocketSphinxTranscriber: Transcriber {
    /// Path of `pocketsphinx_continuous`, from Debian's package `pocketsphinx`; its models are those of `pocketsphinx-en-us`.
    private let program: String
    private let tool: SealedTool
    private let timeout: Duration

    /// - Parameter timeout: of one piece.
    package init(program: String = Self.usualProgram, tool: SealedTool, timeout: Duration) {
        self.program = program
        self.tool = tool
        self.timeout = timeout
    }

    /// Where Debian and a local build keep them.
    private static let models = ["/usr/share/pocketsphinx", "/usr/local/share/pocketsphinx"]

    package static var usualProgram: String { ProgramPath.find("pocketsphinx_continuous") }

    package let name = "pocketsphinx"
    /// It transcribes about five times as fast as is spoken, and a sealed process has a minute of processor time.
    package var longestSegment: Duration { .seconds(30) }

    package func transcribe(_ speech: Speech) async throws -> SegmentTranscript {
        let command = [program, "-infile", "/dev/fd/0", "-time", "yes"]
        do {
            let output = try await tool.run(
                command, input: speech.samples, outputByteCount: 1 << 20, readable: Self.models, timeout: timeout)
            return Self.segment(String(decoding: output, as: UTF8.self))
        } catch let failure as MediaFailure {
            try Task.checkCancellation()
            switch failure {
            case .timedOut: throw TranscriberFailure.unavailable("pocketsphinx took longer than \(timeout) for a piece", after: nil)
            case .refused, .crashed: throw TranscriberFailure.unavailable("pocketsphinx ended before it had heard a piece", after: nil)
            }
        }
    }

    package func probe() async throws -> String {
        guard FileManager.default.isExecutableFile(atPath: program) else {
            throw Problem(.unavailable, "\(program) is not there: install the packages pocketsphinx and pocketsphinx-en-us")
        }
        // Half a second of silence: the models are read.
        _ = try await transcribe(Speech(samples: [UInt8](repeating: 0, count: Speech.rate)))
        return "pocketsphinx, sealed off, listened to half a second of silence; English, a draft"
    }

    // MARK: What it prints

    /// For each stretch between two pauses a line of words, then, for `-time yes`, a line for each: the word, where it starts and ends
    /// in seconds, and how likely it is. Marks of pauses and noises stand in brackets or between pluses.
    static func segment(_ output: String) -> SegmentTranscript {
        var lines: [[SegmentTranscript.Word]] = []
        for line in output.split(separator: "\n") {
            let fields = line.split(separator: " ")
            guard fields.count == 4, let start = Double(fields[1]), let end = Double(fields[2]), let likelihood = Double(fields[3]) else {
                lines.append([])
                continue
            }
            guard let first = fields[0].first, first != "<", first != "[", first != "+" else { continue }
            // A second pronunciation is "was(2)".
            let text = String(fields[0].prefix { $0 != "(" })
            guard !text.isEmpty, start.isFinite, end.isFinite else { continue }
            if lines.isEmpty { lines.append([]) }
            lines[lines.count - 1].append(
                SegmentTranscript.Word(
                    text: text, start: max(0, start), end: max(start, end),
                    confidence: (min(1, max(0, likelihood)) * 1_000).rounded() / 1_000))
        }
        let spoken = lines.filter { !$0.isEmpty }
        return SegmentTranscript(
            text: spoken.map { $0.map(\.text).joined(separator: " ") }.joined(separator: "\n"), language: "en",
            words: spoken.flatMap { $0 })
    }
}
