/// A mood that a text names explicitly. Pure.
package enum Moods {
    /// A mood of the fixed list in docs/themes.md; `nil` when no word says one, or when the word is negated.
    package static func find(_ text: String) -> String? { find(Words(text)) }

    static func find(_ words: Words) -> String? {
        let words = words.all.map(\.plain)
        for (index, word) in words.enumerated() {
            guard let mood = byWord[word] else { continue }
            let before = words[max(0, index - 3)..<index]
            if before.contains(where: { negations.contains($0) || $0.hasSuffix("n't") }) { continue }
            return mood
        }
        return nil
    }

    private static let negations: Set<String> = ["not", "never", "no", "hardly", "without", "less"]

    private static let byWord: [String: String] = {
        var moods: [String: String] = [:]
        for (mood, words) in list { for word in Words.set(words) { moods[word] = mood } }
        return moods
    }()

    static let list: [(mood: String, words: String)] = [
        ("happy", "happy happily joyful delighted glad cheerful overjoyed thrilled laughed laughing"),
        ("sad", "sad sadly cried crying tears heartbroken miserable depressed unhappy"),
        ("angry", "angry furious mad annoyed irritated pissed rage"),
        ("anxious", "anxious nervous worried worrying afraid scared frightened panic panicked terrified"),
        ("stressed", "stressed overwhelmed overworked burnout"), ("tired", "tired exhausted sleepy drained weary"),
        ("calm", "calm peaceful relaxed serene content"), ("excited", "excited exciting eager pumped"),
        ("grateful", "grateful thankful blessed"), ("proud", "proud proudly"), ("lonely", "lonely alone lonesome homesick"),
        ("bored", "bored boring"), ("surprised", "surprised shocked stunned"), ("disappointed", "disappointed disappointing"),
    ]
}
