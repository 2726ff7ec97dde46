/// Finds which of several sentences are in a text, as `Grounding.stands` does. Reads the text in parts.
package struct SentenceCheck: Sendable {
    private let sentences: [String]
    private let text: String
    /// `nil` before the first part.
    private var reader: WordReader?
    private var finders: [RunFinder<String>] = []
    private var stands: [Bool]

    package init(_ sentences: [String], in text: String) {
        self.sentences = sentences
        self.text = text
        stands = [Bool](repeating: false, count: sentences.count)
    }

    /// The sentences that are in the parts read so far, in the order of all sentences.
    package var standing: [String] { sentences.indices.filter { stands[$0] }.map { sentences[$0] } }

    /// - Returns: whether another part must be read.
    package mutating func readPart() -> Bool {
        if reader == nil { finders = sentences.map { RunFinder(PlainWords($0).words) } }
        var words = reader ?? WordReader(text)
        defer { reader = words }
        let end = words.unreadByteCount - SentenceReader.partByteCount
        while stands.contains(false), words.unreadByteCount > end {
            guard let word = words.next() else { return false }
            for index in finders.indices where !stands[index] && finders[index].isEnd(word) { stands[index] = true }
        }
        return stands.contains(false)
    }
}
