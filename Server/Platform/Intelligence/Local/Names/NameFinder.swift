/// Finds the names of people in a text by rules, a list of given names and the user's own contacts. Pure.
///
/// It prefers to miss a name rather than to take another word for one: what the text does not show to be a name is none.
package struct NameFinder: Sendable {
    /// The contacts' names by their words in lower case.
    private let contacts: [[String]: String]
    private let longestContact: Int

    /// - Parameter contacts: the names of the user's contacts.
    package init(contacts: [String] = []) {
        var byWords: [[String]: String] = [:]
        for contact in contacts {
            let words = Words(contact).all.map(\.plain)
            if !words.isEmpty { byWords[words] = contact }
        }
        self.contacts = byWords
        longestContact = byWords.keys.map(\.count).max() ?? 0
    }

    /// - Returns: each name once, as its longest form stands in the text, without titles, in order; in a text without capital letters with
    ///   capital letters. At most 32.
    package func names(in text: String) -> [String] {
        let words = Words(text)
        var found: [[String]] = []
        var index = 0
        while index < words.all.count {
            let count = contact(at: index, words) ?? name(at: index, words)
            guard let count else {
                index += 1
                continue
            }
            let parts = words.all[index..<index + count].map { words.isLowerCase ? Self.capitalised($0.text) : $0.text }
            if !found.contains(where: { Self.contains($0, parts) }) {
                // "Anna" and later "Anna Schmidt" are one person; the longer form stays, at the place of the first.
                if let shorter = found.firstIndex(where: { Self.contains(parts, $0) }) {
                    found[shorter] = parts
                } else {
                    found.append(parts)
                }
            }
            index += count
        }
        return found.prefix(32).map { $0.joined(separator: " ") }
    }

    private static func contains(_ longer: [String], _ shorter: [String]) -> Bool {
        let (longer, shorter) = (longer.map { $0.lowercased() }, shorter.map { $0.lowercased() })
        return longer == shorter || longer.count > shorter.count && longer.starts(with: shorter)
    }

    private static func capitalised(_ word: String) -> String {
        word.split(separator: "-", omittingEmptySubsequences: false).map { $0.prefix(1).uppercased() + $0.dropFirst() }
            .joined(separator: "-")
    }

    // MARK: Rules

    /// The number of words of the contact's name that begins here.
    private func contact(at index: Int, _ words: Words) -> Int? {
        for count in stride(from: min(longestContact, words.all.count - index), to: 0, by: -1) {
            let part = words.all[index..<index + count]
            guard contacts[part.map(\.plain)] != nil else { continue }
            // A contact called May does not make every May a person.
            if count == 1, let word = part.first, GivenNames.ambiguous.contains(word.plain) || StopWords.all.contains(word.plain) {
                guard Evidence(words, index).showsName else { continue }
            } else if count == 1, !words.isLowerCase, !words.all[index].isCapitalised {
                continue
            }
            return count
        }
        return nil
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
            // A word that no list knows: only if the sentence treats it as a person.
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
