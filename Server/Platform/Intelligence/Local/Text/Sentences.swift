internal import Core

/// Cuts a text into sentences. Pure.
package enum Sentences {
    private static let longest = 400

    /// The sentences as they were said, in order; white space is one space. A text without full stops is cut at line breaks and, when it is
    /// very long, between words.
    package static func of(_ text: String) -> [String] {
        var sentences: [String] = []
        var words: [Substring] = []
        // Characters of `words`, with a space after each.
        var length = 0
        func end() {
            if words.contains(where: { $0.contains(where: \.isLetter) }) { sentences.append(words.joined(separator: " ")) }
            words = []
            length = 0
        }
        for line in CombiningMarks.bounded(text).split(whereSeparator: \.isNewline) {
            for word in line.split(whereSeparator: \.isWhitespace) {
                words.append(word)
                length += word.count + 1
                if endsSentence(word) || length > longest { end() }
            }
            end()
        }
        return sentences
    }

    private static func endsSentence(_ word: Substring) -> Bool {
        let bare = word.drop { !$0.isLetter && !$0.isNumber }
        guard let mark = bare.last(where: { !"\"'”’)»]".contains($0) }), ".!?…。！？".contains(mark) else { return false }
        guard mark == "." else { return true }
        let letters = bare.prefix { $0 != "." }.lowercased()
        return !["dr", "mr", "mrs", "ms", "prof", "st", "no", "vs"].contains(letters) && letters.count != 1
    }
}
