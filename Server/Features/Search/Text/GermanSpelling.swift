import Foundation

/// Other spellings of words with German umlauts. The index holds `ä` as `a`, so "München" needs none of them to find "München".
enum GermanSpelling {
    /// For "München", returns "Muenchen". For "Muenchen", returns "Munchen", which is how the index holds "München".
    static func others(_ word: String) -> [String] {
        let word = word.precomposedStringWithCanonicalMapping.lowercased()
        return [written(word), contracted(word)].compactMap { $0 }.filter { $0 != word }
    }

    /// Replaces umlauts by `ae`, `oe` or `ue`; `nil` if there are none.
    private static func written(_ word: String) -> String? {
        word.contains(where: { umlauts[$0] != nil }) ? word.map { umlauts[$0] ?? String($0) }.joined() : nil
    }

    /// Replaces `ae`, `oe` and `ue` by a single vowel. Short words stay as they are: "toe" would find each "to". The `ue` in `que` is no
    /// umlaut.
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
