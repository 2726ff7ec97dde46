import ArgumentParser
import Foundation
import KeepsakeKit
import KeepsakeWire

/// The options that `mood`, `memory` and `event` have in common.
struct MomentOptions: ParsableArguments {
    @Option(name: .customLong("tag"), help: "A tag; may be repeated.")
    var tags: [String] = []

    @Option(name: .customLong("image"), help: "A photo or film; may be repeated, at most ten.", completion: .file())
    var images: [String] = []

    @Option(help: "A voice recording.", completion: .file())
    var voice: String?

    @Flag(inversion: .prefixedNo, help: "Show how much was sent. Default: on a terminal, if files are sent")
    var progress: Bool?

    @Flag(help: "Keep it on this computer until `keepsake queue send`. This needs no network.")
    var queue = false

    @Flag(help: "One line of JSON: the entry.")
    var json = false

    /// The photos, films and voice recording that the options name.
    /// - Throws: the errors of `ClientFile.check`.
    func files() throws -> (images: [URL], voiceNote: URL?) {
        (try ClientFile.check(images), try voice.map { try ClientFile.check([$0])[0] })
    }

    /// Queues an entry, or sends it, then prints what was done.
    /// - Parameters:
    ///   - label: the entry's name in the queue.
    ///   - files: the result of `files()`.
    ///   - call: the queued call that sends the entry later.
    ///   - send: sends the entry now, and reports its progress to the handler.
    ///   - line: the line that says that the entry was stored.
    func keep<Entry: Encodable & Sendable>(
        label: String, _ files: (images: [URL], voiceNote: URL?), queued call: @autoclosure () -> QueuedCall,
        send: @Sendable (KeepsakeServer, ProgressHandler?) async throws -> Entry, line: (Entry) -> String
    ) async throws {
        if queue { return try await Queueing.add([call()], label: label, json: json) }
        let server = try ClientFolder().server()
        let sent = files.images + [files.voiceNote].compactMap { $0 }
        let entry = try await withProgress(sent, isWanted: progress) { progress in
            try await send(server, progress?.handler(sent))
        }
        try json ? ClientOutput.print(json: entry, .multimedia) : ClientOutput.print(line(entry))
    }
}

/// The option for the time of a mood or a memory.
struct MomentTime: ParsableArguments {
    @Option(help: "When it happened: 2026-12-31T20:00 in your time zone, or ISO 8601 with an offset. Default: now")
    var at: String?

    /// - Returns: the time; `nil` without `--at`: the mood or memory then gets the current time.
    /// - Throws: `ClientFailure` with exit code 64.
    func date() throws -> Date? { try at.map { try LocalDate.parse($0) } }
}

struct MoodCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(commandName: "mood", abstract: "Keep a mood.")

    @Argument(help: "The mood, for example calm; 1 to 64 characters.")
    var mood: String

    @Option(help: "A note.")
    var note: String?

    @Option(help: "The reason.")
    var reason: String?

    @Option(name: .customLong("interest"), help: "An interest that the mood is about; may be repeated.")
    var interests: [String] = []

    @Option(help: "How strong it is, 1…10.")
    var intensity: Int?

    @OptionGroup var time: MomentTime

    @OptionGroup var options: MomentOptions

    func validate() throws {
        if let intensity, !(1...10 ~= intensity) { throw ValidationError("--intensity must be from 1 to 10.") }
    }

    func run() async throws {
        try await ClientFailure.reporting(json: options.json) {
            let when = try time.date()
            let files = try options.files()
            try await options.keep(
                label: mood, files,
                queued: .mood(
                    mood, note: note, reason: reason, tags: options.tags, interests: interests, moodIntensity: intensity,
                    images: files.images, voiceNote: files.voiceNote, createdAt: when),
                send: { server, progress in
                    try await server.moments.createMood(
                        mood, note: note, reason: reason, tags: options.tags, interests: interests, moodIntensity: intensity,
                        images: files.images, voiceNote: files.voiceNote, createdAt: when, progress: progress)
                },
                line: { entry in "kept the mood \(ClientOutput.short(entry.mood)) as \(entry.id)" })
        }
    }
}

struct MemoryCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(commandName: "memory", abstract: "Keep a memory.")

    @Argument(help: "Its title; 1 to 200 characters.")
    var title: String

    @Option(help: "A description.")
    var description: String?

    @Option(help: "Where it was.")
    var location: String?

    @OptionGroup var time: MomentTime

    @OptionGroup var options: MomentOptions

    func run() async throws {
        try await ClientFailure.reporting(json: options.json) {
            let when = try time.date()
            let files = try options.files()
            try await options.keep(
                label: title, files,
                queued: .memory(
                    title: title, description: description, location: location, tags: options.tags,
                    images: files.images, voiceNote: files.voiceNote, createdAt: when),
                send: { server, progress in
                    try await server.moments.createMemory(
                        title: title, description: description, location: location, tags: options.tags,
                        images: files.images, voiceNote: files.voiceNote, createdAt: when, progress: progress)
                },
                line: { entry in "kept the memory \(ClientOutput.short(entry.title)) as \(entry.id)" })
        }
    }
}

struct EventCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(commandName: "event", abstract: "Keep an event of your own.")

    @Argument(help: "Its title; 1 to 200 characters.")
    var title: String

    @Option(help: "When it takes place: 2026-12-31, 2026-12-31T20:00 in your time zone, or ISO 8601 with an offset.")
    var date: String

    @Option(help: "A description.")
    var description: String?

    @Option(help: "Where it takes place.")
    var location: String?

    @OptionGroup var options: MomentOptions

    func run() async throws {
        try await ClientFailure.reporting(json: options.json) {
            let when = try LocalDate.parse(date)
            let files = try options.files()
            try await options.keep(
                label: title, files,
                queued: .event(
                    title: title, date: when, description: description, location: location, tags: options.tags,
                    images: files.images, voiceNote: files.voiceNote),
                send: { server, progress in
                    try await server.moments.createEvent(
                        title: title, date: when, description: description, location: location, tags: options.tags,
                        images: files.images, voiceNote: files.voiceNote, progress: progress)
                },
                line: { entry in "kept the event \(ClientOutput.short(entry.title)) on \(ClientOutput.time(when)) as \(entry.id)" })
        }
    }
}
