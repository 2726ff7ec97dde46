import Foundation
import Synchronization

/// Folds characters for comparison: it removes case, accents and width. It uses the Unicode data of Swift and Foundation, so that the
/// result does not depend on the machine's locale or on the database engine.
enum Folding {
    /// How many Unicode scalars of one character are folded. The longest emoji have 10, and texts of clients have at most 30 marks in a
    /// row. Files and stored texts may have thousands of marks in a row. Normalising those takes a time that grows with the square of their
    /// number.
    static let scalarLimit = 32

    /// Folds letters, digits and the marks that belong to words; returns an empty string for every other character.
    static func fold(_ character: Character) -> String {
        let scalars = character.unicodeScalars
        guard let first = scalars.first else { return "" }
        // A letter with accents folds to the same text as the letter alone.
        return scalars.dropFirst().allSatisfy(isAccent) ? fold(first) : slowly(character)
    }

    private static func fold(_ scalar: Unicode.Scalar) -> String {
        switch scalar.value {
        // Han, Hiragana and Hangul syllables need no folding and are frequent.
        case 0x3400...0x4DBF, 0x4E00...0x9FFF, 0x3041...0x3096, 0xAC00...0xD7A3: return String(Character(scalar))
        case 0xA0..<0x600: return common[Int(scalar.value) - 0xA0]
        // These are the rarer letters of Han. The ranges leave out letters that stand for others, and the condition leaves out what is no
        // letter.
        case 0x20000..<0x2F800, 0x2FA20..<0xE0000: return scalar.properties.generalCategory == .otherLetter ? String(Character(scalar)) : ""
        // The characters for private use are no letters.
        case 0xF0000...: return ""
        default: return rare.fold(scalar)
        }
    }

    /// The folded letters of Latin, Greek, Cyrillic, Armenian and Hebrew. They are computed once, because most texts consist of them.
    private static let common: [String] = (UInt32(0xA0)..<0x600).map { value in
        Unicode.Scalar(value).map { slowly(Character($0)) } ?? ""
    }

    private static let rare = Pages()

    /// The folded texts of all other letters. A block of 256 is folded when a text first uses one of its letters. Without this table, a
    /// long text would keep a processor busy for a third of a second. All blocks together take 2 MB.
    private final class Pages: Sendable {
        private let pages = Mutex<[UInt32: [String]]>([:])

        func fold(_ scalar: Unicode.Scalar) -> String {
            let (page, index) = (scalar.value >> 8, Int(scalar.value & 0xFF))
            if let known = pages.withLock({ $0[page]?[index] }) { return known }
            let folded = (0..<256).map { index in Unicode.Scalar(page << 8 | index).map { slowly(Character($0)) } ?? "" }
            pages.withLock { $0[page] = folded }
            return folded[index]
        }
    }

    /// Computes the result of `fold` without its tables.
    static func slowly(_ character: Character) -> String {
        var folded = String.UnicodeScalarView()
        let scalars = String(String.UnicodeScalarView(character.unicodeScalars.prefix(scalarLimit)))
        for scalar in scalars.decomposedStringWithCompatibilityMapping.lowercased().unicodeScalars where !isAccent(scalar) {
            append(scalar, to: &folded)
        }
        return String(folded).precomposedStringWithCanonicalMapping
    }

    private static func append(_ scalar: Unicode.Scalar, to folded: inout String.UnicodeScalarView) {
        if let letters = letters[scalar] { return folded.append(contentsOf: letters.unicodeScalars) }
        // Katakana folds to Hiragana, because they are two ways of writing the same word.
        if 0x30A1...0x30F6 ~= scalar.value, let hiragana = Unicode.Scalar(scalar.value - 0x60) { return folded.append(hiragana) }
        switch scalar.properties.generalCategory {
        case .decimalNumber:
            // ٣ and 3 are the same digit.
            let digit = scalar.properties.numericValue.map { UInt8(48 + Int($0)) }
            folded.append(digit.map(Unicode.Scalar.init) ?? scalar)
        case .uppercaseLetter, .lowercaseLetter, .titlecaseLetter, .modifierLetter, .otherLetter, .letterNumber, .otherNumber,
            .nonspacingMark, .spacingMark:
            folded.append(scalar)
        default: break
        }
    }

    /// Whether folding drops the mark. It drops accents of Latin, Greek and Cyrillic, the points of Hebrew, the vowel signs of Arabic,
    /// variation selectors and tatweel. It keeps the vowels of the scripts of India and Thailand, and the dakuten of Kana, which are not
    /// accents.
    private static func isAccent(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.value {
        case 0x300...0x36F, 0x483...0x489, 0x591...0x5C7, 0x610...0x61A, 0x640, 0x64B...0x65F, 0x670, 0x6D6...0x6ED, 0x1AB0...0x1AFF,
            0x1DC0...0x1DFF, 0x20D0...0x20FF, 0xFE00...0xFE0F, 0xFE20...0xFE2F:
            true
        default: false
        }
    }

    /// Letters that Unicode does not decompose but that people often type in a plainer form.
    private static let letters: [Unicode.Scalar: String] = [
        "ß": "ss", "æ": "ae", "œ": "oe", "ø": "o", "đ": "d", "ð": "d", "þ": "th", "ł": "l", "ħ": "h", "ŧ": "t", "ı": "i", "ŋ": "n",
        "ĸ": "k", "ə": "e", "ƒ": "f", "ς": "σ",
        // Forms of the Arabic letters alef, ya and ta marbuta that people use interchangeably.
        "آ": "ا", "أ": "ا", "إ": "ا", "ى": "ي", "ة": "ه",
        // The Persian letters kaf and ya.
        "ک": "ك", "ی": "ي",
    ]

    /// Whether the character belongs to a script that puts no spaces between words.
    static func isUnspaced(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.value {
        // The ranges are Thai and Lao; Myanmar; Khmer; the iteration mark and Kana; Han in all its blocks.
        case 0xE00...0xEFF, 0x1000...0x109F, 0x1780...0x17FF, 0x3005...0x3007, 0x3041...0x30FF, 0x31F0...0x31FF, 0x3400...0x4DBF,
            0x4E00...0x9FFF, 0xF900...0xFAFF, 0x1B000...0x1B16F, 0x20000...0x3FFFF:
            true
        default: false
        }
    }

    /// The folded form of an emoji or another symbol that has a meaning by itself: skin tone and presentation variants are removed. `nil`
    /// for characters that only separate words.
    static func symbol(_ character: Character) -> String? {
        let scalars = character.unicodeScalars
        guard let first = scalars.first, first.value > 0xFF,
            first.properties.isEmojiPresentation || first.properties.generalCategory == .otherSymbol
        else { return nil }
        let bounded = String.UnicodeScalarView(scalars.prefix(scalarLimit))
        let plain = bounded.filter { !(0x1F3FB...0x1F3FF ~= $0.value || 0xFE00...0xFE0F ~= $0.value) }
        return String(plain.isEmpty ? bounded : String.UnicodeScalarView(plain))
    }
}
