package import Core
package import Foundation

/// Checks that a text says only what its sources say.
package enum Grounding {
    /// Whether the sentence is in one of the sources, word for word. Case, white space and the form of quotation marks do not count. Splits
    /// a source into words only up to the end of the sentence.
    package static func stands(_ sentence: String, in sources: [String]) -> Bool {
        let words = PlainWords(sentence).words
        return sources.contains { WordReader($0).containsRun(words) }
    }

    /// The lines of a text that are neither quotes of a source nor texts that the server itself adds, such as those of `SummaryFrame`.
    /// - Parameters:
    ///   - text: a summary or an answer; one statement a line.
    ///   - frames: removes what the server added to a line. It returns the rest, which must be a quote; empty when the server added the
    ///     whole line; `nil` when it added nothing.
    package static func ungrounded(_ text: String, sources: [String], frames: (String) -> String?) -> [String] {
        let sources = sources.map { PlainWords($0) }
        func stands(_ line: String) -> Bool {
            let words = PlainWords(line)
            return sources.contains { $0.contains(words) }
        }
        return text.split(separator: "\n").map(String.init).filter { line in
            guard let rest = frames(line) else { return !stands(line) }
            return !rest.isEmpty && !stands(rest)
        }
    }
}

/// The words of a text in lower case, without punctuation: what `Grounding` compares. Making them takes far longer than comparing them, so
/// make them once for a text that is compared several times.
package struct PlainWords: Sendable, Equatable {
    package let words: [String]

    package init(_ text: String) { words = text.lowercased().split(whereSeparator: Self.isSeparator).map(String.init) }

    package var isEmpty: Bool { words.isEmpty }

    /// Whether the words of `other` occur in this text, one after the other. `false` when `other` has no words.
    package func contains(_ other: PlainWords) -> Bool { other.words.count <= words.count && words.containsRun(other.words) }

    fileprivate static func isSeparator(_ character: Character) -> Bool { !character.isLetter && !character.isNumber }
}

/// The words of a text, as `PlainWords` has them, one at a time.
struct WordReader: Sequence, IteratorProtocol {
    private var rest: Substring

    init(_ text: String) { rest = text.lowercased()[...] }

    /// The length of the text, in lower case, that has not been read yet.
    var unreadByteCount: Int { rest.utf8.count }

    mutating func next() -> String? {
        rest = rest.drop(while: PlainWords.isSeparator)
        let word = rest.prefix { !PlainWords.isSeparator($0) }
        rest = rest[word.endIndex...]
        return word.isEmpty ? nil : String(word)
    }
}

/// The fixed parts of a summary's lines.
package enum SummaryFrame {
    /// `At 14:05: Just met with John.`
    package static func quote(at moment: Timestamp, _ sentence: String, _ zone: TimeZone) -> String {
        "At \(time(moment, zone)): \(sentence.split(whereSeparator: \.isWhitespace).joined(separator: " "))"
    }

    /// The line of an hour or a day in which nothing was said.
    package static func wordless(captures: Int, pictures: Int) -> String {
        func count(_ number: Int, _ noun: String) -> String { number == 1 ? "1 \(noun)" : "\(number) \(noun)s" }
        return pictures == captures ? "\(count(pictures, "picture")) without words." : "\(count(captures, "capture")) without words."
    }

    /// What is left of a line without its fixed part, as `Grounding.ungrounded` needs it for `frames`.
    package static func rest(of line: String) -> String? {
        if let match = line.wholeMatch(of: /At \d\d:\d\d: (.+)/) { return String(match.1) }
        return line.wholeMatch(of: /\d+ (capture|picture)s? without words\./) == nil ? nil : ""
    }

    /// `14:05`
    package static func time(_ moment: Timestamp, _ zone: TimeZone) -> String {
        let local = moment + .seconds(zone.secondsFromGMT(for: moment.date))
        // The time since the day began is never negative, even before 1970.
        let minutes = (local.seconds - local.daysSince1970 * 86_400) / 60
        let (hour, minute) = (minutes / 60, minutes % 60)
        return "\(hour < 10 ? "0" : "")\(hour):\(minute < 10 ? "0" : "")\(minute)"
    }
}
