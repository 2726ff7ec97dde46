/// A text split into searchable tokens. Pure. No other code defines what a word is: both engines index these tokens.
struct SearchText {
    /// The most tokens of one document. Later tokens are not indexed.
    static let tokenLimit = 8_192
    /// How many Unicode scalars of one document are split into tokens.
    static let scalarLimit = 65_536
    /// The maximum length of a token, in UTF-8 bytes. Of a longer word, only the beginning is indexed.
    static let tokenByteLimit = 48

    struct Token: Equatable {
        let text: String
        /// The token's position in the text, in Unicode scalars.
        let range: Range<Int>
    }

    enum Piece: Equatable {
        /// A word, or a symbol that stands for one.
        case word(Token)
        /// Consecutive characters of a script without spaces.
        case run([Token])
    }

    let pieces: [Piece]

    /// All tokens in order. A run yields its pairs of neighbouring characters, and its last character alone. So a query with two
    /// neighbouring characters matches a pair, and a query with one character matches as the prefix of a pair, anywhere in the run.
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

/// Reads a text character by character.
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

    /// Whether the character is invisible and does not end a word: soft hyphens, joiners, and combining marks without a base.
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
