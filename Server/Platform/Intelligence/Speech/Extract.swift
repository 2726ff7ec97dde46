/// Topics and a summary of a text, extracted from its own words without a language model. Pure.
package struct Extract: Sendable, Equatable {
    /// At most 8 words, the most significant first.
    package let topics: [String]
    /// At most 3 sentences of the text, in its order, together at most 500 characters; `nil` when there is none.
    package let summary: String?

    package init(_ text: String) {
        let sentences = Self.sentences(text)
        var counts: [String: Int] = [:]
        var firsts: [String: Int] = [:]
        for word in sentences.flatMap(Self.telling) {
            counts[word, default: 0] += 1
            if firsts[word] == nil { firsts[word] = firsts.count }
        }
        // Frequent words first, and long words before short ones; equal weights keep the order of the text.
        func weight(_ word: String) -> Int { (counts[word] ?? 0) * (10 + min(word.count, 12)) }
        topics = Array(
            counts.keys.sorted { (weight($1), firsts[$0] ?? 0) < (weight($0), firsts[$1] ?? 0) }.prefix(8))
        let ranked = sentences.indices.map { index -> (index: Int, score: Double) in
            let words = Self.telling(sentences[index])
            let score = words.reduce(0) { $0 + Double(counts[$1] ?? 0) } / (Double(words.count) + 3)
            return (index, score)
        }.sorted { ($1.score, $0.index) < ($0.score, $1.index) }
        var kept: [Int] = []
        var length = 0
        for (index, _) in ranked where kept.count < 3 {
            let count = sentences[index].count
            guard kept.isEmpty || length + count <= 500 else { continue }
            kept.append(index)
            length += count
        }
        let whole = kept.sorted().map { sentences[$0] }.joined(separator: " ")
        summary = whole.isEmpty ? nil : whole.count <= 500 ? whole : String(whole.prefix(499)) + "…"
    }

    /// Splits the text at line breaks, and at white space after punctuation that ends a sentence.
    private static func sentences(_ text: String) -> [String] {
        var sentences: [String] = []
        var sentence = ""
        func end() {
            let trimmed = sentence.split(whereSeparator: \.isWhitespace).joined(separator: " ")
            if trimmed.contains(where: \.isLetter) { sentences.append(trimmed) }
            sentence = ""
        }
        var last: Character = " "
        for character in text {
            if character.isNewline || (character.isWhitespace && ".!?…。！？".contains(last)) { end() } else { sentence.append(character) }
            last = character
        }
        end()
        return sentences
    }

    /// The sentence's significant words, in lower case.
    private static func telling(_ sentence: String) -> [String] {
        sentence.split { !$0.isLetter && !$0.isNumber && $0 != "'" && $0 != "’" }
            .map { $0.lowercased() }
            .filter { $0.count >= 4 && !common.contains($0) && $0.contains(where: \.isLetter) }
    }

    /// Common English words of four or more letters that are not significant.
    private static let common: Set<String> = Set(
        """
        about above after again against along also although always among another anyone anything around because been before being below
        between both came cannot come comes could course didn didn't does doesn't doing don't done down during each either else even ever
        every everything from gave getting give given goes going gone have having here hers herself himself into isn't it's itself just keep
        kind know least less like little look looked made make makes many maybe mean might mine more most much must myself never next
        nothing often once only onto other others ourselves over perhaps quite rather really said same says seem seemed shall she's should
        since some someone something soon still such take taken than that that's their theirs them themselves then there there's these they
        they're thing things think this those though through today together told took under until upon used very want wanted wants was wasn't
        well went were what what's when where whether which while whole whom whose will with within without won't would yeah you're your
        yours yourself
        """.split(whereSeparator: \.isWhitespace).map(String.init))
}
