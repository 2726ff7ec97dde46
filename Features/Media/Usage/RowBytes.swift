/// What a row counts against its owner's quota: an estimate of the room that it, its index entries and its words in the search index
/// take in the database. The constants were measured on both engines (`RowBytesTests`); a database is larger by what its pages leave empty.
package enum RowBytes {
    /// Bytes of a row without its texts: its columns, its entries in the indexes, its place in the index of words.
    package static let row: Int64 = 1_536
    /// Bytes of a tag without its text: a row of its own with three indexes.
    package static let tag: Int64 = 640
    /// How often a text that can be searched is kept: in its row, twice beside the index of words, and in that index.
    package static let searchable: Int64 = 4
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
