import ArgumentParser
import Foundation
import KeepsakeKit
import KeepsakeWire

struct CaptureCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "capture", abstract: "Keep what happens now: a photo, a recording or words, which the server analyses.")

    @Argument(help: "Words. Without them, the server transcribes the recording.")
    var words: [String] = []

    @Option(help: "A photo: JPEG, PNG, WebP or HEIC.", completion: .file())
    var photo: String?

    @Option(help: "A recording: M4A, MP3 or WAV.", completion: .file())
    var audio: String?

    @Option(help: "When it happened: 2026-12-31T20:00 in your time zone, or ISO 8601 with an offset. Default: now")
    var at: String?

    @Flag(inversion: .prefixedNo, help: "Show how much was sent. Default: on a terminal, if files are sent")
    var progress: Bool?

    @Flag(help: "Keep it on this computer until `keepsake queue send`. This needs no network.")
    var queue = false

    @Flag(help: "One line of JSON: captureId, timestamp.")
    var json = false

    func validate() throws {
        guard !words.isEmpty || photo != nil || audio != nil else { throw ValidationError("Pass words, --photo or --audio.") }
    }

    func run() async throws {
        try await ClientFailure.reporting(json: json) {
            let when = try at.map { try LocalDate.parse($0) } ?? Date()
            let photo = try photo.map { try ClientFile.check([$0])[0] }
            let audio = try audio.map { try ClientFile.check([$0])[0] }
            let files = [photo, audio].compactMap { $0 }
            let text = words.isEmpty ? nil : words.joined(separator: " ")
            if queue {
                let call = try QueuedCall.capture(
                    photo: photo, audio: audio, transcription: text, at: when, id: UUID().uuidString.lowercased())
                return try await Queueing.add([call], label: text ?? files[0].lastPathComponent, json: json)
            }
            let server = try ClientFolder().server()
            let receipt = try await withProgress(files, isWanted: progress) { progress in
                try await server.captures.capture(
                    photo: photo, audio: audio, transcription: text, at: when, progress: progress?.handler(files))
            }
            if json { return try ClientOutput.print(json: Receipt(receipt), .captures) }
            try ClientOutput.print("kept the capture as \(receipt.captureId)")
        }
    }

    private struct Receipt: Encodable {
        let captureId: String
        let timestamp: Date

        init(_ receipt: CaptureReceipt) {
            captureId = receipt.captureId
            timestamp = receipt.timestamp
        }
    }
}
