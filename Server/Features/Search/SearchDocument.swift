package import Core

/// The words of one thing that was kept.
package struct SearchDocument: Sendable {
    package struct Text: Sendable {
        /// As answers name it: `mood`, `title`, `note`, `reason`, `description`, `location`, `tags`, `interests`, `transcript`, `name`.
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
    /// When it happened.
    package let at: Timestamp
    /// The most telling first.
    package let texts: [Text]

    /// - Parameter texts: the most telling first; empty ones are left out.
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
