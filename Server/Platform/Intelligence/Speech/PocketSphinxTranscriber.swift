internal import Core
internal import Foundation
package import MediaTools

/// CMU's PocketSphinx, an offline engine. Each segment is transcribed in its own sandboxed process, in draft quality, and only in English.
package struct PocketSphinxTranscriber: Transcriber {
    /// Path of `pocketsphinx_continuous` from Debian's package `pocketsphinx`. Its models come from `pocketsphinx-en-us`.
    private let program: String
    private let tool: SandboxedTool
    private let timeout: Duration

    /// - Parameter timeout: for one segment.
    package init(program: String = Self.usualProgram, tool: SandboxedTool, timeout: Duration) {
        self.program = program
        self.tool = tool
        self.timeout = timeout
    }

    /// Folders with the models: those of Debian's package, and those of a local build.
    private static let models = ["/usr/share/pocketsphinx", "/usr/local/share/pocketsphinx"]

    package static var usualProgram: String { ProgramPath.find("pocketsphinx_continuous") }

    package let name = "pocketsphinx"
    package let isOutside = false
    /// It transcribes about five times faster than speech, and a sandboxed process gets one minute of processor time.
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
            case .timedOut: throw TranscriberFailure.unavailable("pocketsphinx took longer than \(timeout) for one segment", after: nil)
            case .refused, .crashed, .outputLost:
                throw TranscriberFailure.unavailable("pocketsphinx ended without a complete transcript", after: nil)
            }
        }
    }

    package func probe() async throws -> String {
        guard FileManager.default.isExecutableFile(atPath: program) else {
            throw Problem(.unavailable, "\(program) is missing: install the packages pocketsphinx and pocketsphinx-en-us")
        }
        // Half a second of silence suffices, because transcribing it loads the models.
        _ = try await transcribe(Speech(samples: [UInt8](repeating: 0, count: Speech.rate)))
        return "sandboxed pocketsphinx transcribed half a second of silence; English only, draft quality"
    }

    // MARK: The program's output

    /// Parses the output. For each stretch between two pauses, it has a line of words and then, because of `-time yes`, a line for each
    /// word: the word, its start and end in seconds, and its likelihood. Marks of pauses and noises are in brackets or between plus signs.
    static func segment(_ output: String) -> SegmentTranscript {
        var lines: [[SegmentTranscript.Word]] = []
        for line in output.split(separator: "\n") {
            let fields = line.split(separator: " ")
            guard fields.count == 4, let start = Double(fields[1]), let end = Double(fields[2]), let likelihood = Double(fields[3]) else {
                lines.append([])
                continue
            }
            guard let first = fields[0].first, first != "<", first != "[", first != "+" else { continue }
            // A word's second pronunciation is printed as "was(2)".
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
