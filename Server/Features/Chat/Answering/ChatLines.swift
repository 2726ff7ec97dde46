import Core
import Foundation
import Intelligence

/// The fixed parts of the lines that the server itself writes into answers. `local` writes such lines and quotes only.
enum ChatLines {
    static func opening(_ reason: ChatProviders.LocalReason, foundSomething: Bool) -> String {
        let why =
            switch reason {
            case .notConfigured: "No model is configured on this server"
            case .refused: "No model answers, because you keep your data from outside services"
            case .chosen: "No model answers here"
            }
        return foundSomething
            ? "\(why), so these are quotes from what you keep here:"
            : "\(why), and nothing in your entries or in the files of this conversation answers this."
    }

    /// `From your memory of 2026-03-14 at 14:05: Just met with John.`
    static func quote(_ sentence: String, from source: Memory) -> String { "From \(source.name): \(plain(sentence))" }

    /// `From the file "notes.pdf": Bring the blue folder.`
    static func quote(_ sentence: String, fromFile name: String) -> String {
        // Replace quotation marks in the name, so that the name cannot end the quoted part.
        "From the file \"\(plain(name).replacing("\"", with: "'"))\": \(plain(sentence))"
    }

    /// An entry of the user that an answer names.
    struct Memory: Sendable, Equatable {
        /// The kind of the entry, for example `memory`.
        var kind: String
        var at: Timestamp
        var zone: TimeZone
        var sentence: String

        var name: String { "your \(kind) of \(TimeRange.Day(at, in: zone)) at \(SummaryFrame.time(at, zone))" }
    }

    /// Names the entries that a model was given in addition to the conversation.
    static func memories(_ memories: [Memory]) -> String {
        "The model was also given " + memories.map(\.name).joined(separator: ", ") + "."
    }

    /// Removes what the server added to a line. `Grounding.ungrounded` calls it. Returns the rest, which must be a quote; an empty text
    /// when the server added the whole line; `nil` when it added nothing.
    static func rest(of line: String) -> String? {
        for reason in ChatProviders.LocalReason.allCases
        where line == opening(reason, foundSomething: true) || line == opening(reason, foundSomething: false) {
            return ""
        }
        if let match = line.wholeMatch(of: /From your [a-z]+ of \d{4}-\d\d-\d\d at \d\d:\d\d: (.+)/) { return String(match.1) }
        return line.wholeMatch(of: /From the file "[^"]*": (.+)/).map { String($0.1) }
    }

    private static func plain(_ text: String) -> String { text.split(whereSeparator: \.isWhitespace).joined(separator: " ") }
}
