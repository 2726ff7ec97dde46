import Core
import Database
import FeatureKit
import KeepsakeWire
import Search

extension Asset {
    /// The kind of an asset in the search index and in stored responses.
    static let kind = "file"

    /// The texts that a search matches. The file name comes last: usually a camera chose it, so it says least.
    var document: SearchDocument {
        SearchDocument(
            kind: Self.kind, id: id, owner: owner, at: createdAt,
            texts: [("title", title), ("description", description), ("tags", tags.joined(separator: ", ")), ("name", name)])
    }
}

extension NewAsset {
    /// The text of its name. The asset's document has this text and those of its labels.
    var nameTexts: [SearchDocument.Text] { SearchDocument.Text.texts([("name", name)]) }
}

extension MediaRules.Labels {
    var searchTexts: [SearchDocument.Text] {
        SearchDocument.Text.texts([("title", title), ("description", description), ("tags", tags.joined(separator: ", "))])
    }
}

extension SearchDocument.Text {
    fileprivate static func texts(_ texts: [(field: String, text: String?)]) -> [SearchDocument.Text] {
        texts.compactMap { field, text in
            guard let text, !text.isEmpty else { return nil }
            return SearchDocument.Text(field: field, text: text)
        }
    }
}

extension MediaStore {
    func entryKind(_ presenter: MediaPresenter) -> EntryKind {
        @Sendable func entry(_ asset: Asset) -> EntryKind.Entry {
            EntryKind.Entry(
                position: .init(at: asset.moment, id: asset.id), byteCount: asset.textByteCount,
                item: TimelineItem(file: presenter.item(asset)))
        }
        return EntryKind(
            [Asset.kind],
            page: { request, tx in try tx.list(Self.timelineStatement(request), Asset.init).map(entry) },
            entries: { ids, owner, tx in try tx.list(Self.assets(ids, owner: owner), Asset.init).map(entry) })
    }

    // MARK: Timeline

    /// Files that were uploaded by themselves. Other files are on the timeline as parts of their entries.
    static func timelineStatement(_ request: EntryKind.Request) -> SQL {
        // The lower bound also leaves out the files that are not on the timeline: their `timeline_at` is NULL.
        var request = request
        request.from = request.from ?? Timestamp(microseconds: .min)
        guard let tag = request.tag else {
            return "\(sql: Asset.table.select) WHERE media.owner = \(request.owner)\(sql: request.range("media.timeline_at"))"
                + byTime[request.order].page(after: request.after?.sql, limit: request.limit)
        }
        return """
            SELECT \(sql: Asset.table.columns) FROM media_tag JOIN media ON media.id = media_tag.media
            WHERE media_tag.owner = \(request.owner) AND media_tag.tag = \(tag)\(sql: request.range("media_tag.timeline_at"))
            """ + taggedByTime[request.order].page(after: request.after?.sql, limit: request.limit)
    }

    private static let byTime = TwoWayKeyset("media.timeline_at", "media.id")
    private static let taggedByTime = TwoWayKeyset("media_tag.timeline_at", "media_tag.media")

    static func assets(_ ids: [String], owner: String) -> SQL {
        "\(sql: Asset.table.select) WHERE media.id IN (\(sql: .list(ids))) AND \(sql: .owned(by: owner))"
    }

    // MARK: Rows older than the search index

    /// Indexes all rows that are older than the search index, in batches. Resumes after a crash. Runs once to completion.
    func indexOlderRows() async throws {
        while try await indexSomeOlderRows(limit: 200) { try Task.checkCancellation() }
    }

    /// - Returns: whether more rows may remain.
    func indexSomeOlderRows(limit: Int) async throws -> Bool {
        try await database.write { tx in
            try tx.lock("media index pass")
            guard let pass = try tx.row("SELECT after, is_done FROM media_index_pass WHERE one = 1"),
                try !pass.get("is_done", as: Bool.self)
            else { return false }
            let ids: [String] = try tx.rows(Self.olderRows(after: pass.get("after"), limit: limit)).map { try $0.get("id") }
            for id in ids {
                // An UPDATE that changes nothing locks the row: it waits for a concurrent update or deletion, and later ones wait for it.
                let asset = try tx.first(
                    "UPDATE media SET name = name WHERE id = \(id) RETURNING \(sql: Asset.table.columns)", Asset.init)
                if let asset { try search.put(asset.document, tx) }
            }
            let isDone = ids.count < limit
            try tx.run("UPDATE media_index_pass SET after = \(ids.last ?? ""), is_done = \(isDone) WHERE one = 1")
            return !isDone
        }
    }

    static func olderRows(after id: String, limit: Int) -> SQL { Asset.table.ids(after: id, limit: limit) }
}
