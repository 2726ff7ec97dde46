/// Finds the terms and names of a question among the words of a text. Make one for each question, not for each text.
///
/// Follows the letters of each word through a tree of all words of the question. So a word of the text takes about the same time, however
/// many terms, forms and names the question has. To compare each word of a long text with each form would take seconds if Swift must
/// normalise the letters for each comparison.
///
/// A letter is a `Character`. As with `String`s, a precomposed `Character` equals the same letter with a combining mark.
package struct QuestionFinder: Sendable {
    package struct Found: Sendable {
        /// Whether each term, or each name, was found, in the order of the question.
        package let isFound: [Bool]
        /// How often a letter was looked up in the tree.
        package let lookupCount: Int

        package var count: Int { isFound.count { $0 } }
    }

    private struct Step: Hashable, Sendable {
        let node: Int
        let letter: Character
    }

    private struct Node: Sendable {
        /// The terms that ask for the word that ends here.
        var words: [Int] = []
        /// The terms that ask for all words that begin with the letters up to here.
        var beginnings: [Int] = []
    }

    /// The first node is before the first letter.
    private var nodes = [Node()]
    /// The node to which a letter leads from another node.
    private var next: [Step: Int] = [:]
    private let termCount: Int
    /// One for each name of the question. A name is found as a run of nodes: those at which its words end in the tree.
    private var runs: [RunFinder<Int>] = []

    /// Stands for a word that is not in the tree.
    private static let unknown = -1

    package init(_ question: Question) {
        termCount = question.terms.count
        for (index, term) in question.terms.enumerated() {
            for word in [term.word] + term.forms {
                let node = add(word)
                nodes[node].words.append(index)
            }
            if term.isStem, let stem = term.forms.first {
                let node = add(stem)
                nodes[node].beginnings.append(index)
            }
        }
        for name in question.names {
            var run: [Int] = []
            for word in PlainWords(name).words { run.append(add(word)) }
            runs.append(RunFinder(run))
        }
    }

    private mutating func add(_ word: String) -> Int {
        var node = 0
        for letter in word {
            let step = Step(node: node, letter: letter)
            if let following = next[step] {
                node = following
            } else {
                node = nodes.count
                nodes.append(Node())
                next[step] = node
            }
        }
        return node
    }

    package var hasNames: Bool { !runs.isEmpty }

    /// Which terms ask for at least one of the words. A term asks for its own word, for its forms and, if its first form is a stem, for all
    /// words that begin with this form.
    package func terms(in words: [String]) -> Found {
        var isFound = [Bool](repeating: false, count: termCount)
        var lookupCount = 0
        guard termCount > 0 else { return Found(isFound: isFound, lookupCount: lookupCount) }
        for word in words {
            let end = node(of: word, &lookupCount) { passed in
                for term in passed.beginnings { isFound[term] = true }
            }
            guard let end else { continue }
            for term in nodes[end].words { isFound[term] = true }
        }
        return Found(isFound: isFound, lookupCount: lookupCount)
    }

    /// Which names are in the text: their words occur one after the other, as `PlainWords.contains` tells for one name.
    package func names(in text: PlainWords) -> Found {
        var isFound = [Bool](repeating: false, count: runs.count)
        var lookupCount = 0
        guard hasNames else { return Found(isFound: isFound, lookupCount: lookupCount) }
        var runs = runs
        for word in text.words {
            let end = node(of: word, &lookupCount) ?? Self.unknown
            for index in runs.indices where runs[index].isEnd(end) { isFound[index] = true }
        }
        return Found(isFound: isFound, lookupCount: lookupCount)
    }

    /// - Parameter pass: gets the node after each letter of the word.
    /// - Returns: the node at the end of the word; `nil` when no word of the question begins with this word.
    private func node(of word: String, _ lookupCount: inout Int, _ pass: (Node) -> Void = { _ in }) -> Int? {
        var node = 0
        for letter in word {
            lookupCount += 1
            guard let following = next[Step(node: node, letter: letter)] else { return nil }
            node = following
            pass(nodes[node])
        }
        return node
    }
}
