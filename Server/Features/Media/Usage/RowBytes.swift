/// Estimates the bytes that a row, its index entries and its search tokens take in the database. They count against the owner's quota. The
/// constants were measured (`RowQuotaTests.estimate`): the real size is 0.6 to 1 times the estimate on SQLite, and 0.1 to 2.5 times on
/// PostgreSQL, where it depends on the number of distinct words.
package enum RowBytes {
    /// Bytes of a row without its texts: columns, index entries and its row in the search index.
    package static let row: Int64 = 1_536
    /// Bytes of a tag without its text: a row with three indexes.
    package static let tag: Int64 = 640
    /// Bytes for each byte of searchable text: the text is stored in its row and twice next to the search index, and the search index has
    /// an entry for each word, which is longer than the word.
    package static let searchable: Int64 = 8
    /// Bytes of a tag's index entries that also hold the category of the tagged entry, without the texts. The entry's group takes the same
    /// number again.
    package static let tagLabel: Int64 = 240
    /// Bytes for each byte of the category's and the group's text, counted for each tag.
    package static let tagLabelText: Int64 = 4
    /// Bytes for each byte of a tag's text: it is stored in its own row and indexes, in its entry's list, and in the search index.
    package static let tagText: Int64 = 8

    /// Bytes of an index entry that holds a label of a file together with the file's type, without the label's text.
    static let typedLabel: Int64 = 112

    /// - Parameters:
    ///   - searchable: texts that the search index holds.
    ///   - labels: the entry's category and group. Its tags' rows repeat them.
    ///   - plain: texts that are stored but not indexed.
    package static func count(
        searchable texts: [String?], tags: [String], labels: [String?] = [], plain: [String?] = []
    ) -> Int64 {
        func length(_ texts: [String?]) -> Int64 { texts.reduce(0) { $0 + Int64($1?.utf8.count ?? 0) } }
        let eachTag = tag + tagLabel * Int64(labels.count { $0 != nil }) + tagLabelText * length(labels)
        return row + searchable * length(texts) + length(labels) + length(plain)
            + tags.reduce(0) { $0 + eachTag + tagText * Int64($1.utf8.count) }
    }

    /// Bytes of the index entries that hold each of a file's labels together with the file's type: one by the time stored, one by the time
    /// taken. A file without a group has such entries, too.
    static func typed(_ labels: [String?]) -> Int64 { labels.reduce(0) { $0 + 2 * (typedLabel + Int64($1?.utf8.count ?? 0)) } }
}

extension Asset {
    /// Bytes that the asset's rows count against the quota, without the file itself.
    var rowBytes: Int64 {
        RowBytes.count(searchable: [title, description, name], tags: tags, labels: [category, groupID])
            + RowBytes.typed([category, groupID]) + RowBytes.typed(tags)
    }
}
