import Database

/// Finds a query's terms among the tokens of a document. Make one for each query, and use it for all documents. It looks each token up in a
/// sorted list of the query's words, so the number of words hardly changes the time that a document takes. Exception: a term that consists
/// only of a prefix (the beginning of a word) is compared with each token.
struct TermFinder {
    /// A token of a document.
    struct Place {
        /// The token's bytes; not empty.
        let range: Range<Int>
        /// The number of the text that contains the token. Numbers ascend in the list of places. No phrase matches across two texts.
        let text: Int
    }

    struct Match: Equatable {
        /// The index of the match's first token.
        let start: Int
        /// The index of the term.
        let term: Int
        /// The sum over the term's spellings that match here: 2 for whole words, 1 if the last word is only the beginning of a token.
        var weight: Int
    }

    struct Found {
        /// The matches, ordered by token and then by term. There is at most one for each token and term.
        var matches: [Match] = []
        /// How often words of the query were compared with tokens.
        var comparisons = 0
    }

    private struct Spelling {
        let term: Int
        /// The numbers of the spelling's words. The last word is left out if it is a prefix.
        let numbers: [Int]
        /// The last word, if it is a prefix.
        let beginning: [UInt8]?
        /// The spelling's position in the list of all spellings.
        let index: Int
        /// The element n belongs to the first n words. It is the length of the longest shorter beginning of the spelling with which these
        /// n words also end (the borders of Knuth, Morris and Pratt).
        let borders: [Int]

        var count: Int { numbers.count + (beginning == nil ? 0 : 1) }
    }

    /// What earlier comparisons of a spelling's words tell about later tokens, as in the algorithm of Knuth, Morris and Pratt.
    private struct Attempt {
        /// The spelling does not match at tokens before this one.
        var next = 0
        /// How many tokens from `next` on are known to be the spelling's words.
        var known = 0
    }

    /// The query's distinct words in ascending order, joined together. A word's number is its position in this order.
    private let letters: [UInt8]
    private let ranges: [Range<Int>]
    /// For each byte, the number of the first word that begins with this byte or a later one; at the end, the number of words.
    private let firstNumbers: [Int]
    /// For each word, the spellings that begin with it.
    private let starting: [[Spelling]]
    /// The spellings that consist of a prefix only.
    private let beginnings: [Spelling]
    /// For each byte, whether one of `beginnings` begins with it.
    private let isBeginning: [Bool]
    private let spellingCount: Int

    private static let unknown = -1

    init(_ terms: [TokenPhrase]) {
        var spellings: [(term: Int, words: [[UInt8]], beginning: [UInt8]?)] = []
        for (term, phrase) in terms.enumerated() {
            for tokens in phrase.spellings {
                var words = tokens.map { Array($0.utf8) }
                let beginning = phrase.isPrefix ? words.popLast() : nil
                spellings.append((term: term, words: words, beginning: beginning))
            }
        }
        let words = Set(spellings.flatMap { $0.words }).sorted { $0.lexicographicallyPrecedes($1) }
        let numbers = Dictionary(uniqueKeysWithValues: words.enumerated().map { ($0.element, $0.offset) })
        var letters: [UInt8] = []
        var ranges: [Range<Int>] = []
        var firstNumbers = [Int](repeating: 0, count: 257)
        for word in words {
            ranges.append(letters.count..<letters.count + word.count)
            letters += word
            firstNumbers[Int(word.first ?? 0) + 1] += 1
        }
        for byte in 1...256 { firstNumbers[byte] += firstNumbers[byte - 1] }
        var starting = [[Spelling]](repeating: [], count: words.count)
        var beginnings: [Spelling] = []
        var isBeginning = [Bool](repeating: false, count: 256)
        for (index, each) in spellings.enumerated() {
            let ofWords = each.words.compactMap { numbers[$0] }
            let spelling = Spelling(
                term: each.term, numbers: ofWords, beginning: each.beginning, index: index, borders: Self.borders(ofWords))
            if let first = spelling.numbers.first {
                starting[first].append(spelling)
            } else if let first = each.beginning?.first {
                beginnings.append(spelling)
                isBeginning[Int(first)] = true
            }
        }
        self.letters = letters
        self.ranges = ranges
        self.firstNumbers = firstNumbers
        self.starting = starting
        self.beginnings = beginnings
        self.isBeginning = isBeginning
        spellingCount = spellings.count
    }

    private static func borders(_ numbers: [Int]) -> [Int] {
        var borders = [Int](repeating: 0, count: numbers.count + 1)
        var border = 0
        for index in numbers.indices.dropFirst() {
            while border > 0, numbers[border] != numbers[index] { border = borders[border] }
            if numbers[border] == numbers[index] { border += 1 }
            borders[index + 1] = border
        }
        return borders
    }

    /// - Parameters:
    ///   - places: the document's tokens, in order.
    ///   - limit: the search ends after this many matches. All matches that begin at the same token count as found together, so there may
    ///     be a few more.
    func find(_ places: [Place], _ bytes: UnsafeBufferPointer<UInt8>, limit: Int = .max) -> Found {
        var found = Found()
        var attempts = [Attempt](repeating: Attempt(), count: spellingCount)
        var numbers: [Int] = []
        numbers.reserveCapacity(places.count)
        for place in places { numbers.append(number(of: place.range, bytes, &found.comparisons)) }
        for start in places.indices {
            if found.matches.count >= limit { break }
            let first = found.matches.count
            let number = numbers[start]
            if number != Self.unknown {
                for spelling in starting[number] {
                    guard isPhrase(spelling, at: start, numbers, &attempts, &found.comparisons) else { continue }
                    let weight = weight(of: spelling, at: start, places, bytes, &found.comparisons)
                    if weight > 0 { found.add(Match(start: start, term: spelling.term, weight: weight), from: first) }
                }
            }
            if isBeginning[Int(bytes[places[start].range.lowerBound])] {
                for spelling in beginnings {
                    let weight = weight(of: spelling, at: start, places, bytes, &found.comparisons)
                    if weight > 0 { found.add(Match(start: start, term: spelling.term, weight: weight), from: first) }
                }
            }
        }
        return found
    }

    /// The number of the word that equals the token; `unknown` if there is none.
    private func number(of token: Range<Int>, _ bytes: UnsafeBufferPointer<UInt8>, _ comparisons: inout Int) -> Int {
        let first = Int(bytes[token.lowerBound])
        var (low, high) = (firstNumbers[first], firstNumbers[first + 1])
        while low < high {
            comparisons += 1
            let middle = (low + high) / 2
            let order = compare(ranges[middle], token, bytes)
            if order == 0 { return middle }
            if order < 0 { low = middle + 1 } else { high = middle }
        }
        return Self.unknown
    }

    /// - Returns: below 0 when the word precedes the token, 0 when they are equal.
    private func compare(_ word: Range<Int>, _ token: Range<Int>, _ bytes: UnsafeBufferPointer<UInt8>) -> Int {
        for offset in 0..<min(word.count, token.count) {
            let (ours, theirs) = (letters[word.lowerBound + offset], bytes[token.lowerBound + offset])
            if ours != theirs { return ours < theirs ? -1 : 1 }
        }
        return word.count - token.count
    }

    /// Whether the tokens from `start` on are the words of a spelling. If the spelling ends with a prefix, the prefix is not compared here.
    /// For one spelling, a whole document needs at most two comparisons for each token, even if the words repeat (Knuth, Morris and Pratt).
    /// - Parameter start: the index of a token that equals the spelling's first word.
    private func isPhrase(
        _ spelling: Spelling, at start: Int, _ numbers: [Int], _ attempts: inout [Attempt], _ comparisons: inout Int
    ) -> Bool {
        let count = spelling.numbers.count
        guard count > 1 else { return true }
        let attempt = attempts[spelling.index]
        guard start >= attempt.next else { return false }
        var same = start == attempt.next ? max(1, attempt.known) : 1
        while same < count, start + same < numbers.count {
            comparisons += 1
            guard numbers[start + same] == spelling.numbers[same] else { break }
            same += 1
        }
        let border = spelling.borders[same]
        attempts[spelling.index] = Attempt(next: start + same - border, known: border)
        return same == count
    }

    /// The weight of a spelling whose words before a final prefix match. It is 0 when the prefix does not match, or the last token is in
    /// another text.
    private func weight(
        of spelling: Spelling, at start: Int, _ places: [Place], _ bytes: UnsafeBufferPointer<UInt8>, _ comparisons: inout Int
    ) -> Int {
        let end = start + spelling.count
        guard end <= places.count, places[end - 1].text == places[start].text else { return 0 }
        guard let beginning = spelling.beginning else { return 2 }
        comparisons += 1
        let last = places[end - 1].range
        guard last.count >= beginning.count else { return 0 }
        for offset in beginning.indices where bytes[last.lowerBound + offset] != beginning[offset] { return 0 }
        return last.count == beginning.count ? 2 : 1
    }
}

extension TermFinder.Found {
    /// Adds a match. The matches of a token stay ordered by term, with one match of each term.
    /// - Parameter first: the index of the token's first match.
    fileprivate mutating func add(_ match: TermFinder.Match, from first: Int) {
        var index = matches.count
        while index > first, matches[index - 1].term > match.term { index -= 1 }
        if index > first, matches[index - 1].term == match.term {
            matches[index - 1].weight += match.weight
        } else {
            matches.insert(match, at: index)
        }
    }
}
