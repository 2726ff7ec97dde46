package import Core

/// An entry that may answer a question.
package struct AnswerSource: Sendable, Equatable {
    /// A text of an entry.
    package struct Text: Sendable, Equatable {
        /// What the text is. A quote is preferably taken from a text with an earlier role.
        package enum Role: Int, Sendable {
            case sentences, title
            /// Tags, a place, a file name: words without a sentence.
            case label
        }

        package let role: Role
        package let text: String

        package init(_ role: Role, _ text: String) {
            self.role = role
            self.text = text
        }
    }

    package var kind: String
    package var id: String
    package var at: Timestamp
    /// The entry's texts, the most relevant first.
    package var texts: [Text]

    package var plainTexts: [String] { texts.map(\.text) }

    package init(kind: String, id: String, at: Timestamp, texts: [Text]) {
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
