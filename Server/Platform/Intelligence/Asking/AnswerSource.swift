package import Core

/// An entry that may answer a question.
package struct AnswerSource: Sendable, Equatable {
    package var kind: String
    package var id: String
    package var at: Timestamp
    /// The entry's texts, the most relevant first.
    package var texts: [String]

    package init(kind: String, id: String, at: Timestamp, texts: [String]) {
        self.kind = kind
        self.id = id
        self.at = at
        self.texts = texts
    }
}

/// A sentence of a source.
package struct Quote: Sendable, Equatable {
    /// The source's index.
    package var source: Int
    package var sentence: String

    package init(source: Int, sentence: String) {
        self.source = source
        self.sentence = sentence
    }
}
