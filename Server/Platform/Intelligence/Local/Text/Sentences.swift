internal import Core

/// Cuts a text into sentences. Pure.
package enum Sentences {
    static let longest = 400

    /// The sentences, unchanged and in order, except that each run of white space becomes one space. A text without full stops is cut at
    /// line breaks and, when it is very long, between words.
    package static func of(_ text: String) -> [String] {
        var reader = SentenceReader(text)
        return reader.read(byteCount: .max)
    }

    static func endsSentence(_ word: Substring) -> Bool {
        let bare = word.drop { !$0.isLetter && !$0.isNumber }
        guard let mark = bare.last(where: { !"\"'”’)»]".contains($0) }), ".!?…。！？".contains(mark) else { return false }
        guard mark == "." else { return true }
        let letters = bare.prefix { $0 != "." }.lowercased()
        return !["dr", "mr", "mrs", "ms", "prof", "st", "no", "vs"].contains(letters) && letters.count != 1
    }
}

/// Cuts a text into sentences, as `Sentences` does, in parts: to cut a long text takes a processor tens of milliseconds.
package struct SentenceReader: Sendable {
    /// The bytes of a text that are read in one step of a long computation.
    package static let partByteCount = 16_384

    private var rest: Substring

    package init(_ text: String) { rest = CombiningMarks.bounded(text)[...] }

    package var isAtEnd: Bool { rest.isEmpty }

    /// The length of the text that has not been read yet.
    package var unreadByteCount: Int { rest.utf8.count }

    /// Reads the next sentences.
    /// - Parameter byteCount: reading ends after the sentence that contains this byte of the unread text.
    package mutating func read(byteCount: Int) -> [String] {
        let before = unreadByteCount
        var sentences: [String] = []
        while !rest.isEmpty, before - unreadByteCount < byteCount {
            let words = nextWords()
            if words.contains(where: { $0.contains(where: \.isLetter) }) { sentences.append(words.joined(separator: " ")) }
        }
        return sentences
    }

    /// The words up to the end of a sentence or of a line; none if only white space is left.
    private mutating func nextWords() -> [Substring] {
        var words: [Substring] = []
        // Characters of `words`, with a space after each.
        var length = 0
        while let next = rest.first {
            if next.isWhitespace {
                rest = rest.dropFirst()
                if next.isNewline, !words.isEmpty { break }
                continue
            }
            let word = rest.prefix { !$0.isWhitespace }
            rest = rest[word.endIndex...]
            words.append(word)
            length += word.count + 1
            if Sentences.endsSentence(word) || length > Sentences.longest { break }
        }
        return words
    }
}
