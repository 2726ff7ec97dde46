/// A text cut into what can be looked for. Pure, and the only place that says what a word is: both engines get tokens.
struct SearchText {
    /// Tokens of one document; what is said after them is not found.
    static let tokenLimit = 8_192
    /// Characters (Unicode scalars) of one document that are looked at.
    static let scalarLimit = 65_536
    /// Bytes of UTF-8 of one token; longer words are found by their beginning.
    static let tokenByteLimit = 48

    struct Token: Equatable {
        let text: String
        /// Where it stands in the text, in Unicode scalars.
        let range: Range<Int>
    }

    enum Piece: Equatable {
        /// A word, or a sign that is one.
        case word(Token)
        /// Characters of a script without spaces, one after the other.
        case run([Token])
    }

    let pieces: [Piece]

    /// Every token in its order. A run gives its pairs, and its last character alone: two neighbours are found as a pair, and one as
    /// the beginning of a pair, wherever it stands.
    var tokens: [Token] {
        var tokens: [Token] = []
        for piece in pieces {
            switch piece {
            case .word(let token): tokens.append(token)
            case .run(let characters):
                tokens += Self.pairs(characters)
                if let last = characters.last { tokens.append(last) }
            }
        }
        return tokens
    }

    static func pairs(_ characters: [Token]) -> [Token] {
        zip(characters, characters.dropFirst()).map { first, second in
            Token(text: first.text + second.text, range: first.range.lowerBound..<second.range.upperBound)
        }
    }

    init(_ text: String) {
        var tokenizer = Tokenizer()
        for character in text { tokenizer.take(character) }
        tokenizer.endPiece()
        pieces = tokenizer.pieces
    }
}

/// Takes a text character by character.
private struct Tokenizer {
    var pieces: [SearchText.Piece] = []
    private var offset = 0
    private var word = ""
    private var wordBytes = 0
    private var wordStart = 0
    private var wordEnd = 0
    private var run: [SearchText.Token] = []

    mutating func take(_ character: Character) {
        let utf8 = character.utf8
        if utf8.count == 1, let byte = utf8.first {
            switch byte {
            case 48...57, 97...122: append(byte)
            case 65...90: append(byte + 32)
            default: endPiece()
            }
            offset += 1
            return
        }
        let length = character.unicodeScalars.count
        defer { offset += length }
        let folded = Folding.fold(character)
        if let symbol = Folding.symbol(character), folded.isEmpty || character.unicodeScalars.first?.properties.isEmojiPresentation == true
        {
            endPiece()
            pieces.append(.word(.init(text: symbol, range: offset..<offset + length)))
        } else if let first = folded.unicodeScalars.first {
            if Folding.isUnspaced(first) {
                endWord()
                run.append(.init(text: folded, range: offset..<offset + length))
            } else {
                endRun()
                append(folded, length)
            }
        } else if !Self.isInvisible(character) {
            endPiece()
        }
    }

    private mutating func append(_ byte: UInt8) {
        endRun()
        startWord()
        if wordBytes < SearchText.tokenByteLimit {
            word.unicodeScalars.append(Unicode.Scalar(byte))
            wordBytes += 1
        }
        wordEnd = offset + 1
    }

    private mutating func append(_ folded: String, _ length: Int) {
        startWord()
        for scalar in folded.unicodeScalars where wordBytes + UTF8.width(scalar) <= SearchText.tokenByteLimit {
            word.unicodeScalars.append(scalar)
            wordBytes += UTF8.width(scalar)
        }
        wordEnd = offset + length
    }

    private mutating func startWord() {
        if word.isEmpty { wordStart = offset }
    }

    mutating func endPiece() {
        endWord()
        endRun()
    }

    private mutating func endWord() {
        guard !word.isEmpty else { return }
        pieces.append(.word(.init(text: word, range: wordStart..<wordEnd)))
        word = ""
        wordBytes = 0
    }

    private mutating func endRun() {
        guard !run.isEmpty else { return }
        pieces.append(.run(run))
        run = []
    }

    /// Soft hyphens, joiners and lone accents stand in words without ending them.
    private static func isInvisible(_ character: Character) -> Bool {
        character.unicodeScalars.allSatisfy {
            switch $0.properties.generalCategory {
            case .format, .nonspacingMark, .enclosingMark: true
            // Arabic's tatweel.
            default: $0.value == 0x640
            }
        }
    }
}
