import Database
import FeatureKit
import KeepsakeWire
import Search

extension Asset {
    /// As the index and answers name it.
    static let kind = "file"

    /// What it can be found by. Its name comes last: a camera gave it, or a person who had nothing else to say.
    var document: SearchDocument {
        SearchDocument(
            kind: Self.kind, id: id, owner: owner, at: createdAt,
            texts: [("title", title), ("description", description), ("tags", tags.joined(separator: ", ")), ("name", name)])
    }
}

extension MediaStore {
    func entryKind(_ presenter: MediaPresenter) -> EntryKind {
        EntryKind([Asset.kind], page: nil) { ids, owner, tx in
            try tx.list(Self.assets(ids, owner: owner), Asset.init).map { asset in
                return EntryKind.Entry(
                    position: .init(at: asset.createdAt, id: asset.id), item: TimelineItem(file: presenter.item(asset)))
            }
        }
    }

    static func assets(_ ids: [String], owner: String) -> SQL {
        "\(sql: Asset.table.select) WHERE media.id IN (\(sql: .list(ids))) AND media.owner = \(owner)"
    }

    // MARK: What was kept before there was an index

    /// Puts every row that is older than the index into it, some at a time. A stop anywhere is gone on from; once done, it stays done.
    func indexOlderRows() async throws {
        while try await indexSomeOlderRows(limit: 200) { try Task.checkCancellation() }
    }

    /// - Returns: whether there may be more.
    func indexSomeOlderRows(limit: Int) async throws -> Bool {
        try await database.write { tx in
            try tx.lock("media index pass")
            guard let pass = try tx.row("SELECT after, is_done FROM media_index_pass WHERE one = 1"),
                try !pass.get("is_done", as: Bool.self)
            else { return false }
            let ids: [String] = try tx.rows(Self.olderRows(after: pass.get("after"), limit: limit)).map { try $0.get("id") }
            for id in ids {
                // Written without a change: waits for whoever changes or deletes the row, and has whoever comes later wait.
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
