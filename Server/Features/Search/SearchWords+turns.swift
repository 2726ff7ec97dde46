package import Web

extension SearchWords {
    /// Splits texts into words, before the write that stores them. For long texts, it first waits for a turn of `LongWork`.
    /// - Throws: as `WebContext.inTurn` and `WebContext.countWords`.
    package init(_ texts: [SearchDocument.Text], in context: WebContext) async throws {
        let byteCount = texts.reduce(0) { $0 + $1.text.utf8.count }
        try context.countWords(ofTexts: byteCount)
        if byteCount <= LongWork.textByteCount {
            self = SearchWords(texts)
        } else {
            self = try await context.inTurn { SearchWords(texts) }
        }
    }
}
