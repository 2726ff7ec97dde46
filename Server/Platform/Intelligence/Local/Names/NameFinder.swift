/// Finds the names of people in a text by rules, a list of given names and the user's own contacts. Pure.
///
/// It prefers to miss a name rather than to take another word for one: a word counts as a name only if the text shows that it is one.
package struct NameFinder: Sendable {
    /// The most names that are found in a text.
    private static let limit = 32
    /// The most characters (Unicode scalars) of a name. No contact has a longer one.
    private static let nameLength = 200
    /// The most words of a contact's name that are compared, so that thousands of long names take milliseconds.
    static let wordLimit = 8
    /// The most characters (Unicode scalars) of a contact's name that are read. If these hold too few words and the name continues after
    /// them, the contact is not found.
    static let wordsLength = 100

    /// The contacts' names as a tree of their words in lower case. The first node is before the first word.
    private let contacts: [Node]

    private struct Node: Sendable {
        /// The nodes of the words that may follow.
        var next: [String: Int] = [:]
        /// Whether a name ends here.
        var isEnd = false
    }

    /// - Parameter contacts: the names of the user's contacts.
    package init(contacts: [String] = []) { self.init(contacts) { _ in true } }

    /// Finds names in one text only. This takes less time: if a contact's first word is not in the text, the contact's other words are not
    /// read.
    /// - Parameter words: the words of the text.
    init(contacts: [String], in words: Words) {
        let known = Set(words.all.map(\.plain))
        self.init(contacts) { contact in Self.plainWords(contact, limit: 1).first.map { known.contains($0) } ?? false }
    }

    private init(_ contacts: [String], where isWanted: (_ contact: String) -> Bool) {
        var nodes = [Node()]
        for contact in contacts where isWanted(contact) {
            var node = 0
            for word in Self.plainWords(contact, limit: Self.wordLimit) {
                if let next = nodes[node].next[word] {
                    node = next
                } else {
                    nodes[node].next[word] = nodes.count
                    node = nodes.count
                    nodes.append(Node())
                }
            }
            if node > 0 { nodes[node].isEnd = true }
        }
        self.contacts = nodes
    }

    /// Number of words of contacts' names that are compared; names that begin with the same words share them.
    var contactWordCount: Int { contacts.count - 1 }

    /// The first words of a contact's name in lower case; none if fewer than `limit` fit into `wordsLength` and the name goes on.
    private static func plainWords(_ contact: String, limit: Int) -> [String] {
        let scalars = contact.unicodeScalars
        let end = scalars.index(scalars.startIndex, offsetBy: wordsLength, limitedBy: scalars.endIndex) ?? scalars.endIndex
        let words = Words(String(scalars[..<end]), limit: limit).all
        return words.count < limit && end < scalars.endIndex ? [] : words.map(\.plain)
    }

    /// - Returns: each name once, in the longest form that the text contains, without titles, in order. If the text has no capital
    ///   letters, the names get them. At most 32, of at most 200 characters each.
    package func names(in text: String) -> [String] { names(in: Words(text)) }

    func names(in words: Words) -> [String] {
        var found: [(parts: [String], plain: [String])] = []
        var index = 0
        while index < words.all.count {
            let count = contact(at: index, words) ?? name(at: index, words)
            guard let count else {
                index += 1
                continue
            }
            let parts = words.all[index..<index + count].map { words.isLowerCase ? Self.capitalised($0.text) : $0.text }
            let plain = parts.map { $0.lowercased() }
            if !found.contains(where: { $0.plain.starts(with: plain) }) {
                // "Anna" and later "Anna Schmidt" are one person; the longer form stays, at the place of the first.
                if let shorter = found.firstIndex(where: { plain.starts(with: $0.plain) }) {
                    found[shorter] = (parts, plain)
                } else if found.count < Self.limit {
                    // A further name is not kept, so that a text with thousands of names takes linear time.
                    found.append((parts, plain))
                }
            }
            index += count
        }
        return found.map { $0.parts.joined(separator: " ") }.filter { $0.unicodeScalars.count <= Self.nameLength }
    }

    private static func capitalised(_ word: String) -> String {
        word.split(separator: "-", omittingEmptySubsequences: false).map { $0.prefix(1).uppercased() + $0.dropFirst() }
            .joined(separator: "-")
    }

    // MARK: Rules

    /// The number of words of the contact's name that begins here.
    private func contact(at index: Int, _ words: Words) -> Int? {
        var node = 0
        var counts: [Int] = []
        for place in index..<words.all.count {
            guard let next = contacts[node].next[words.all[place].plain] else { break }
            node = next
            if contacts[node].isEnd { counts.append(place - index + 1) }
        }
        return counts.last { $0 > 1 || standsAlone(at: index, words) }
    }

    /// Whether a contact's name of one word is a name here.
    private func standsAlone(at index: Int, _ words: Words) -> Bool {
        let word = words.all[index]
        // A contact called May does not make every May a person.
        if GivenNames.ambiguous.contains(word.plain) || StopWords.all.contains(word.plain) { return Evidence(words, index).showsName }
        return words.isLowerCase || word.isCapitalised
    }

    /// The number of words of the name that begins here.
    private func name(at index: Int, _ words: Words) -> Int? {
        let word = words.all[index]
        let evidence = Evidence(words, index)
        guard word.text.contains(where: \.isLetter), !word.text.contains(where: \.isNumber) else { return nil }
        if words.isLowerCase {
            guard word.plain.count > 2, GivenNames.all.contains(word.plain), !StopWords.all.contains(word.plain) else { return nil }
            return GivenNames.ambiguous.contains(word.plain) ? (evidence.strongly ? 1 : nil) : evidence.isPlace ? nil : 1
        }
        guard word.isCapitalised, !NotNames.all.contains(word.plain), word.text != word.text.uppercased() || word.text.count > 5 else {
            return nil
        }
        if GivenNames.ambiguous.contains(word.plain) {
            guard evidence.showsName else { return nil }
        } else if GivenNames.all.contains(word.plain) {
            guard !evidence.isPlace, !(word.startsSentence && StopWords.all.contains(word.plain)) else { return nil }
        } else {
            // A word that is in no list is a name only if the sentence treats it as a person.
            guard evidence.followsTitle || evidence.treatsAsPerson, !Places.isKnown(word.plain), !StopWords.all.contains(word.plain) else {
                return nil
            }
        }
        return 1 + surnames(after: index, words)
    }

    /// How many of the next words belong to the same name.
    private func surnames(after index: Int, _ words: Words) -> Int {
        var count = 0
        while count < 2, index + count + 1 < words.all.count, !words.all[index + count].isPossessive {
            let next = words.all[index + count + 1]
            guard next.isCapitalised, !next.followsMark, !next.startsSentence, next.plain != "i", !next.plain.hasPrefix("i'"),
                !NotNames.all.contains(next.plain), !StopWords.all.contains(next.plain), next.text.count > 1
            else { break }
            count += 1
        }
        return count
    }
}
