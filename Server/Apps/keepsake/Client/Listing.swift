import ArgumentParser
import Foundation
import KeepsakeKit
import KeepsakeWire

/// The options that all commands with lists have in common.
struct ListOptions: ParsableArguments {
    @Option(help: "The most entries to print, 1…100000. Default: 20")
    var limit = 20

    @Flag(help: "A line of JSON for each entry.")
    var json = false

    func validate() throws {
        guard 1...100_000 ~= limit else { throw ValidationError("--limit must be from 1 to 100000.") }
    }

    /// The size of a page.
    var pageSize: Int { min(limit, 100) }

    /// Prints entries page by page, as many as the limit allows.
    /// - Parameter text: returns the lines for an entry; it removes control characters from the server's texts.
    func print<Item: Encodable>(_ pages: Pages<Item>, none: String, _ text: (Item) -> String) async throws {
        var count = 0
        for try await item in pages {
            try json ? ClientOutput.print(json: item, .multimedia) : ClientOutput.print(styled: text(item))
            count += 1
            if count == limit { break }
        }
        if count == 0, !json { try ClientOutput.print(none) }
    }
}

/// Formats entries as lines for people.
enum EntryLine {
    /// An entry as `2026-12-31 20:00  memory   By the lake: we swam (2 files)`.
    static func text(_ item: TimelineItem) -> String {
        let kind = ClientOutput.short(item.kind, 20)
        return "\(ClientOutput.time(milliseconds: item.at))  \(kind.padding(toLength: max(7, kind.count), withPad: " ", startingAt: 0))  "
            + ClientOutput.short(content(item), 120)
    }

    private static func content(_ item: TimelineItem) -> String {
        if let mood = item.mood {
            let strength = mood.moodIntensity.map { " (\($0) of 10)" } ?? ""
            return joined([mood.mood + strength, mood.note, mood.reason]) + files(mood.imageUrls, mood.voiceNote)
        }
        if let memory = item.memory {
            return joined([memory.title, memory.description, memory.location]) + files(memory.imageUrls, memory.voiceNote)
        }
        if let event = item.event {
            return joined([event.title, event.description, event.location]) + files(event.imageUrls, event.voiceNote)
        }
        if let file = item.file { return joined([file.title ?? file.name, file.description]) }
        if let capsule = item.capsule { return capsule.transcription ?? "\(Int(capsule.duration)) s, \(capsule.status.rawValue)" }
        // The entry is a capture, or of a kind that this version does not know.
        guard case .object(let fields)? = item.other else { return "" }
        for name in ["title", "transcription", "text", "name"] { if case .string(let text)? = fields[name] { return text } }
        return ""
    }

    private static func joined(_ texts: [String?]) -> String { texts.compactMap { $0 }.filter { !$0.isEmpty }.joined(separator: ": ") }

    private static func files(_ images: [String], _ voice: String?) -> String {
        let count = images.count + (voice == nil ? 0 : 1)
        return count == 0 ? "" : " (\(count) \(count == 1 ? "file" : "files"))"
    }

    /// The excerpts of a search result, each on its own line. On a terminal, the matching words are bold.
    static func text(_ item: SearchItem, isBold: Bool) -> String {
        let lines = item.snippets.map { snippet in
            "    \(ClientOutput.short(snippet.field, 20)): \(isBold ? bold(snippet.text, snippet.marks) : ClientOutput.line(snippet.text))"
        }
        return ([text(item.item)] + lines).joined(separator: "\n")
    }

    /// - Parameter marks: the offset and length of each match in Unicode scalars, as the server sends them. A match that does not lie
    ///   within the text is ignored, and so is one that begins before the end of the last marked one.
    private static func bold(_ text: String, _ marks: [[Int]]) -> String {
        let scalars = Array(ClientOutput.line(text).unicodeScalars)
        var result = String.UnicodeScalarView()
        var end = 0
        for mark in marks where mark.count == 2 && mark[0] >= end && mark[1] > 0 && mark[1] <= scalars.count - mark[0] {
            result += scalars[end..<mark[0]]
            result += "\u{1B}[1m".unicodeScalars
            result += scalars[mark[0]..<mark[0] + mark[1]]
            result += "\u{1B}[0m".unicodeScalars
            end = mark[0] + mark[1]
        }
        result += scalars[end...]
        return String(result)
    }
}
