import Foundation

/// Other spellings of words with German umlauts. The index holds `ä` as `a`, so "München" finds itself without any of these.
enum GermanSpelling {
    /// "Muenchen" for "München", and "Munchen", which is how the index holds "München", for "Muenchen".
    static func others(_ word: String) -> [String] {
        let word = word.precomposedStringWithCanonicalMapping.lowercased()
        return [written(word), contracted(word)].compactMap { $0 }.filter { $0 != word }
    }

    /// With `ae`, `oe`, `ue` in place of umlauts.
    private static func written(_ word: String) -> String? {
        word.contains(where: { umlauts[$0] != nil }) ? word.map { umlauts[$0] ?? String($0) }.joined() : nil
    }

    /// With a single vowel in place of `ae`, `oe`, `ue`. Short words stay as they are: "toe" would find each "to". `que` is no umlaut.
    private static func contracted(_ word: String) -> String? {
        guard word.count >= 5 else { return nil }
        var result = ""
        for character in word {
            if character == "e", let last = result.last, "aou".contains(last), !(last == "u" && result.dropLast().last == "q") { continue }
            result.append(character)
        }
        return result
    }

    private static let umlauts: [Character: String] = ["ä": "ae", "ö": "oe", "ü": "ue"]
}
