/// The themes of a text, of a fixed list (docs/themes.md). Pure.
package enum Themes {
    package static let all = list.map(\.theme)

    /// Finds at most 2 themes in a text of up to 25 words, 3 in one of up to 60 words, otherwise 4. A theme with more words comes first; of
    /// equals, the order is that of the list.
    package static func find(in text: String) -> [String] { find(Words(text)) }

    static func find(_ words: Words) -> [String] {
        let words = words.all.map(\.plain)
        // Two hints weigh as much as one word.
        var weights = [Int](repeating: 0, count: list.count)
        for (index, word) in words.enumerated() {
            let pair = index + 1 < words.count ? word + "_" + words[index + 1] : word
            var found: [Int: Int] = [:]
            for form in Set([pair, word] + stems(word)) {
                for (theme, weight) in byWord[form] ?? [] { found[theme] = max(found[theme] ?? 0, weight) }
            }
            for (theme, weight) in found { weights[theme] += weight }
        }
        let count = words.count <= 25 ? 2 : words.count <= 60 ? 3 : 4
        return weights.indices.filter { weights[$0] >= 2 }.sorted { (weights[$1], $0) < (weights[$0], $1) }.prefix(count)
            .map { list[$0].theme }
    }

    /// Singular and base forms that the word may have.
    private static func stems(_ word: String) -> [String] {
        var stems: [String] = []
        if word.hasSuffix("ies") { stems.append(word.dropLast(3) + "y") }
        if word.hasSuffix("es") { stems.append(String(word.dropLast(2))) }
        if word.hasSuffix("s"), !word.hasSuffix("ss") { stems.append(String(word.dropLast())) }
        if word.hasSuffix("ed"), word.count > 4 { stems += [String(word.dropLast(2)), String(word.dropLast())] }
        if word.hasSuffix("ing"), word.count > 5 {
            let base = String(word.dropLast(3))
            stems += [base, base + "e"]
            if base.count > 2, base.last == base.dropLast().last { stems.append(String(base.dropLast())) }
        }
        return stems.filter { $0.count > 2 }
    }

    private static let byWord: [String: [(theme: Int, weight: Int)]] = {
        var themes: [String: [(theme: Int, weight: Int)]] = [:]
        for (index, entry) in list.enumerated() {
            for word in entry.words.split(whereSeparator: \.isWhitespace) {
                let isHint = word.hasSuffix("~")
                themes[String(isHint ? word.dropLast() : word), default: []].append((index, isHint ? 1 : 2))
            }
        }
        return themes
    }()
}
