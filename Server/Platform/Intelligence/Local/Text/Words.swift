internal import Core

/// The words of a text, as the rules of the local engine see them. Pure.
struct Words: Sendable {
    struct Word: Sendable, Equatable {
        /// As written, without surrounding punctuation and without a possessive `'s`.
        let text: String
        /// In lower case, with a straight apostrophe.
        let plain: String
        /// Whether it is the first word of a sentence or a line.
        let startsSentence: Bool
        /// Whether a comma, a dash, a colon or another mark is between it and the word before.
        let followsMark: Bool
        let isPossessive: Bool

        var isCapitalised: Bool { text.first?.isUppercase == true }
    }

    let all: [Word]
    /// Whether the text has no capital letters, as some transcripts. Then names cannot be recognised by their capital letters.
    let isLowerCase: Bool

    /// - Parameter limit: the most words to read. The text after the last of them is not read.
    init(_ text: String, limit: Int = .max) {
        var words: [Word] = []
        var current = ""
        var endsSentence = true
        var hasMark = true
        func flush() {
            var word = current
            current = ""
            while let last = word.last, last == "'" || last == "-" { word.removeLast() }
            // Removes all of them in one step, because each removal at the beginning moves all other characters.
            if let first = word.first, first == "'" || first == "-" { word = String(word.drop { $0 == "'" || $0 == "-" }) }
            guard !word.isEmpty else { return }
            let isPossessive = word.count > 2 && word.lowercased().hasSuffix("'s")
            if isPossessive { word.removeLast(2) }
            words.append(
                Word(
                    text: word, plain: word.lowercased(), startsSentence: endsSentence, followsMark: hasMark, isPossessive: isPossessive))
            endsSentence = false
            hasMark = false
        }
        for character in CombiningMarks.bounded(text) {
            guard words.count < limit else { break }
            switch character {
            case "'", "’", "‘", "ʼ": current.append("'")
            case "-" where !current.isEmpty: current.append("-")
            case _ where character.isLetter || character.isNumber: current.append(character)
            case _ where character.isNewline:
                flush()
                endsSentence = true
                hasMark = true
            case _ where character.isWhitespace: flush()
            case ".":
                let word = current
                flush()
                // "Dr. Okafor" is one sentence; so are initials.
                if !Self.abbreviations.contains(word.lowercased()), word.count != 1 { endsSentence = true }
                hasMark = !Self.abbreviations.contains(word.lowercased())
            case "!", "?", "…", "。":
                flush()
                endsSentence = true
                hasMark = true
            default:
                flush()
                hasMark = true
                // After a colon or an opening quotation mark a sentence may begin.
                if ":“\"«—–".contains(character) { endsSentence = endsSentence || character != "—" && character != "–" }
            }
        }
        flush()
        all = words
        isLowerCase = !words.contains { $0.isCapitalised && !["I", "I'm", "I've", "I'd", "I'll", "OK"].contains($0.text) }
    }

    private static let abbreviations: Set<String> = ["dr", "mr", "mrs", "ms", "prof", "st", "jr", "sr", "vs", "no"]

    /// The words of a list that is written with spaces between them.
    static func set(_ list: String) -> Set<String> { Set(list.split(whereSeparator: \.isWhitespace).map(String.init)) }
}
