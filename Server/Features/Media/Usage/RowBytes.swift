/// What a row counts against its owner's quota: an estimate of the room that it, its index entries and its words in the search index
/// take in the database. The constants were measured (`RowQuotaTests.estimate`): on SQLite
/// rows take 0.6 to 1 times as much, on PostgreSQL, whose index of words depends on how many differ, 0.1 to 2.5 times.
package enum RowBytes {
    /// Bytes of a row without its texts: its columns, its entries in the indexes, its place in the index of words.
    package static let row: Int64 = 1_536
    /// Bytes of a tag without its text: a row of its own with three indexes.
    package static let tag: Int64 = 640
    /// Bytes for each byte of a text that can be searched: it is kept in its row and twice beside the index of words, and that index has
    /// an entry for each word, which is longer than the word.
    package static let searchable: Int64 = 8
    /// How often a tag's text is kept: in its own row and its indexes, in the list of the row it belongs to, and in the index of words.
    package static let tagText: Int64 = 8

    /// - Parameters:
    ///   - searchable: texts that are put into the index of words.
    ///   - plain: texts that are only kept.
    package static func count(searchable texts: [String?], tags: [String], plain: [String?] = []) -> Int64 {
        func length(_ texts: [String?]) -> Int64 { texts.reduce(0) { $0 + Int64($1?.utf8.count ?? 0) } }
        return row + searchable * length(texts) + length(plain) + tags.reduce(0) { $0 + tag + tagText * Int64($1.utf8.count) }
    }
}

extension Asset {
    /// What its rows count against the quota, beside its file.
    var rowBytes: Int64 {
        RowBytes.count(searchable: [title, description, name], tags: tags, plain: [category, groupID])
    }
}
