import Core
package import Database
package import Web

/// Texts and their words, which were split outside the transaction. They are for a write that finds out only inside its transaction which
/// texts it will store.
package struct SplitTexts: Sendable {
    fileprivate let texts: [SearchDocument.Text]
    fileprivate let words: SearchWords
}

/// The error of a write that must store long texts and does not have their words.
private struct UnsplitTexts: Error {
    let texts: [SearchDocument.Text]
}

extension SearchIndex {
    /// The most bytes of text that a write splits inside its transaction: that takes less time than a second write.
    private static let insideByteCount = 1_024

    /// Runs a write that calls `put(_:split:_:)`. If the texts are long, the write is rolled back. Then the texts are split, and the write
    /// runs again with their words.
    /// - Throws: the errors of `write` and `WebContext.inTurn`; `.conflict` when other writes change the texts again and again.
    package static func splitting<T>(in context: WebContext, _ write: (SplitTexts?) async throws -> T) async throws -> T {
        var split: SplitTexts?
        for _ in 1...4 {
            do {
                return try await write(split)
            } catch let unsplit as UnsplitTexts {
                split = SplitTexts(texts: unsplit.texts, words: try await SearchWords(unsplit.texts, in: context))
            }
        }
        throw Problem(.conflict, "Other requests changed the text several times meanwhile. Try again.", retryAfter: .seconds(1))
    }

    /// Inserts or replaces a document, as `put(_:_:)`. Call it in a write that `splitting` runs, with the argument that `splitting` passes
    /// to it.
    package func put(_ document: SearchDocument, split: SplitTexts?, _ tx: WriteTransaction) throws {
        if let split, split.texts == document.texts { return try put(document, split.words, tx) }
        guard document.texts.reduce(0, { $0 + $1.text.utf8.count }) <= Self.insideByteCount else {
            throw UnsplitTexts(texts: document.texts)
        }
        try put(document, tx)
    }
}
