internal import Core
internal import Foundation
internal import MediaFrames
package import MediaTools

#if canImport(Glibc)
    internal import Glibc
#elseif canImport(Darwin)
    internal import Darwin
#endif

/// Reads what is written in pictures, with Tesseract from Debian's package `tesseract-ocr`. Each picture is read by a sandboxed process,
/// from a copy that the media worker makes.
package struct PictureTextReader: Sendable {
    /// The longest edge of the copy that is read, in pixels.
    static let side = 2_000
    private static let characters = 10_000
    /// Folders with Tesseract's models: those of Debian's package, and those of a local build.
    private static let models = ["/usr/share/tesseract-ocr", "/usr/local/share/tessdata"]

    private let workers: MediaWorkers
    private let tool: SandboxedTool
    private let program: String
    private let timeout: Duration
    /// Reading takes a core for seconds, so few pictures are read at a time, and users take turns.
    private let slots = FairSemaphore(.init(permits: 2, permitsPerKey: 1, waiting: 64, waitingPerKey: 16))

    /// - Parameters:
    ///   - program: path of `tesseract`.
    ///   - timeout: for one picture.
    package init(
        workers: MediaWorkers, tool: SandboxedTool, program: String = Self.usualProgram, timeout: Duration = .seconds(30)
    ) {
        self.workers = workers
        self.tool = tool
        self.program = program
        self.timeout = timeout
    }

    package static var usualProgram: String { ProgramPath.find("tesseract") }

    /// - Returns: the words in the order of reading, lines separated by `\n`, at most 10,000 characters; `nil` when the picture contains
    ///   no words that are certain enough, or cannot be decoded.
    /// - Throws: `EngineFailure`; `CancellationError`.
    package func text(of picture: CaptureFile, owner: String) async throws -> String? {
        // Without the program no picture is read, which `keepsake doctor` reports.
        guard FileManager.default.isExecutableFile(atPath: program) else { return nil }
        let requester = Requester(account: owner, network: nil)
        do {
            let descriptor = try await picture.open()
            defer { _ = close(descriptor) }
            let copy = try await requester.run {
                try await workers.variant(
                    descriptor, VariantRequest(width: Self.side, height: Self.side, format: .jpeg, quality: 92),
                    pixelCount: picture.pixelCount)
            }
            return try await slots.withPermit(for: requester) { try await read(copy.bytes) }
        } catch MediaFailure.refused {
            return nil
        } catch let failure as MediaFailure {
            try Task.checkCancellation()
            throw EngineFailure.unavailable("the text of the picture was not read: \(failure)", after: nil)
        } catch let problem as Problem {
            throw EngineFailure.unavailable("the picture was not decoded: \(problem.message)", after: problem.retryAfter)
        } catch is FairQueueRefusal {
            throw EngineFailure.unavailable("too many pictures wait to be read", after: .seconds(10))
        }
    }

    /// - Throws: `Problem` when it is not installed; `MediaFailure` when it does not run.
    package func probe() async throws -> String {
        guard FileManager.default.isExecutableFile(atPath: program) else {
            throw Problem(.unavailable, "\(program) is missing: install the packages tesseract-ocr and tesseract-ocr-eng")
        }
        guard let picture = Data(base64Encoded: TesseractSample.base64), let text = try await read([UInt8](picture)),
            text.lowercased().contains("keepsake")
        else { throw Problem(.unavailable, "\(program) does not read: is the package tesseract-ocr-eng installed?") }
        return "sandboxed tesseract read a word"
    }

    /// Reads the picture twice if there is text in it: as a page, which finds text anywhere in a picture, and as one block of lines, which
    /// reads tilted lines better. The reading with more certain words counts.
    /// - Parameter jpeg: at most 2,000 pixels a side.
    private func read(_ jpeg: [UInt8]) async throws -> String? {
        let page = try await words(in: jpeg, layout: "3")
        guard page.text != nil else { return nil }
        let block = try await words(in: jpeg, layout: "6")
        return (block.certainty > page.certainty ? block : page).text.map { String($0.prefix(Self.characters)) }
    }

    /// - Parameter layout: Tesseract's page segmentation mode.
    private func words(in jpeg: [UInt8], layout: String) async throws -> TesseractWords {
        let command = [
            program, "/dev/fd/0", "stdout", "-l", "eng", "--oem", "1", "--psm", layout, "-c", "tessedit_create_tsv=1",
        ]
        let output = try await tool.run(
            command, input: jpeg, outputByteCount: 8 << 20, readable: Self.models, hasLowPriority: true, timeout: timeout)
        return TesseractWords(String(decoding: output, as: UTF8.self))
    }
}
