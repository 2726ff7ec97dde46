package import Core

/// The searchable texts of one entry or file.
package struct SearchDocument: Sendable {
    package struct Text: Sendable, Equatable {
        /// The field's name in responses: `mood`, `title`, `note`, `reason`, `description`, `location`, `tags`, `interests`, `transcript`,
        /// `name`.
        package let field: String
        package let text: String

        package init(field: String, text: String) {
            self.field = field
            self.text = text
        }
    }

    package let kind: String
    package let id: String
    package let owner: String
    /// The time of the entry, which orders equally good matches.
    package let at: Timestamp
    /// The texts, the most relevant one first.
    package let texts: [Text]

    /// - Parameter texts: the texts, the most relevant one first. Empty texts are dropped.
    package init(kind: String, id: String, owner: String, at: Timestamp, texts: [(field: String, text: String?)]) {
        self.kind = kind
        self.id = id
        self.owner = owner
        self.at = at
        self.texts = texts.compactMap { field, text in
            guard let text, !text.isEmpty else { return nil }
            return Text(field: field, text: text)
        }
    }
}
