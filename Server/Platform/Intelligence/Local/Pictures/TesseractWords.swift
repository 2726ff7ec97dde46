internal import Foundation

/// The words that Tesseract is sure of. Pure.
struct TesseractWords {
    /// Lines separated by `\n`; `nil` when there is no word.
    let text: String?
    /// The sum of the words' lengths, each times its confidence.
    let certainty: Double

    /// A word of which Tesseract is less certain than this, on a scale of 0…100, is dropped.
    private static let leastConfidence = 60.0
    /// A line whose best word is less certain than this is noise: textures give words of one or two letters.
    private static let leastOfLine = 80.0

    /// - Parameter table: Tesseract's TSV: level, page, block, paragraph, line, word, left, top, width, height, confidence, text.
    init(_ table: String) {
        var lines: [(key: String, words: [(text: String, confidence: Double)])] = []
        for row in table.split(separator: "\n") {
            let fields = row.split(separator: "\t", maxSplits: 11, omittingEmptySubsequences: false)
            guard fields.count == 12, fields[0] == "5", let confidence = Double(fields[10]) else { continue }
            let word = fields[11].trimmingCharacters(in: .whitespaces)
            guard confidence >= Self.leastConfidence, Self.isWord(word) else { continue }
            let key = fields[1...4].joined(separator: " ")
            if lines.last?.key != key { lines.append((key, [])) }
            lines[lines.count - 1].words.append((word, confidence))
        }
        let kept = lines.filter { line in
            line.words.contains { $0.confidence >= Self.leastOfLine && $0.text.count { $0.isLetter || $0.isNumber } >= 3 }
        }
        let text = kept.map { $0.words.map(\.text).joined(separator: " ") }.joined(separator: "\n")
        self.text = text.isEmpty ? nil : text
        certainty = kept.flatMap(\.words).reduce(0) { $0 + Double($1.text.count) * $1.confidence }
    }

    /// Whether it consists mostly of letters or digits.
    private static func isWord(_ word: String) -> Bool {
        let good = word.count { $0.isLetter || $0.isNumber }
        return good > 0 && 2 * good >= word.count && word.count <= 50
    }
}
