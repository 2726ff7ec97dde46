import Core
import Database
import FeatureKit
import Foundation
import KeepsakeWire

extension CapsuleStore {
    /// The newest first; at most `limit` after `position`, and fewer where much was said.
    /// - Returns: the page, and whether there is more.
    func page(
        owner: String, after position: EntryKind.Position?, limit: Int
    ) async throws -> (capsules: [(StoredCapsule, StoredTranscript?)], hasMore: Bool) {
        // One more than asked for says whether there is another page.
        let statement = Self.listStatement(owner: owner, after: position, limit: limit + 1)
        return try await database.read { tx in
            let rows = try tx.rows(statement).map(StoredCapsule.init)
            let shown = Array(rows.prefix(CapsuleRules.pageCount(rows, limit: limit)))
            let transcripts = try transcripts(of: shown, tx)
            return (shown.map { ($0, transcripts[$0.id]) }, rows.count > shown.count)
        }
    }

    static func listStatement(owner: String, after position: EntryKind.Position?, limit: Int) -> SQL {
        var statement: SQL = "SELECT \(sql: StoredCapsule.columns) FROM capsule WHERE capsule.owner = \(owner)"
        if let position { statement = statement + " AND (capsule.created_at, capsule.id) < (\(position.at), \(position.id))" }
        return statement + " ORDER BY capsule.created_at DESC, capsule.id DESC LIMIT \(limit)"
    }

    // MARK: On the timeline, and among what was found

    /// Those whose sound is there: what is half made is not shown. Without the words' times, which a timeline has no use for.
    func timeline(_ request: EntryKind.Request, _ tx: ReadTransaction) throws -> [(StoredCapsule, StoredTranscript?)] {
        // A capsule has no tags.
        guard request.tag == nil else { return [] }
        let capsules = try tx.rows(Self.timelineStatement(request)).map(StoredCapsule.init)
        let texts = try transcripts(of: capsules, withWords: false, tx)
        return capsules.map { ($0, texts[$0.id]) }
    }

    static func timelineStatement(_ request: EntryKind.Request) -> SQL {
        // The index is partial: an engine takes it only when it sees the status in the text.
        var statement: SQL =
            "SELECT \(sql: StoredCapsule.columns) FROM capsule WHERE capsule.owner = \(request.owner) AND capsule.status <> 'uploading'"
        if let from = request.from { statement = statement + " AND capsule.created_at >= \(from)" }
        if let to = request.to { statement = statement + " AND capsule.created_at < \(to)" }
        if let after = request.after {
            statement = statement + " AND (capsule.created_at, capsule.id) < (\(after.at), \(after.id))"
        }
        return statement + " ORDER BY capsule.created_at DESC, capsule.id DESC LIMIT \(request.limit)"
    }

    /// Those of `ids` that there are and that are the owner's.
    func capsules(_ ids: [String], owner: String, _ tx: ReadTransaction) throws -> [(StoredCapsule, StoredTranscript?)] {
        guard !ids.isEmpty else { return [] }
        let rows = try tx.rows("SELECT \(sql: StoredCapsule.columns) FROM capsule WHERE id IN (\(sql: .list(ids))) AND owner = \(owner)")
        let capsules = try rows.map(StoredCapsule.init)
        let texts = try transcripts(of: capsules, withWords: false, tx)
        return capsules.map { ($0, texts[$0.id]) }
    }

    // MARK: What was said

    /// By capsule.
    func transcripts(of capsules: [StoredCapsule], withWords: Bool = true, _ tx: ReadTransaction) throws -> [String: StoredTranscript] {
        let ids = capsules.filter { $0.transcriptSize > 0 }.map(\.id)
        guard let owner = capsules.first?.owner, !ids.isEmpty else { return [:] }
        var transcripts: [String: StoredTranscript] = [:]
        for row in try tx.rows(withWords ? Self.transcriptStatement(ids, owner: owner) : Self.textStatement(ids, owner: owner)) {
            transcripts[try row.get("capsule")] = StoredTranscript(
                text: try row.get("text"), words: withWords ? try Self.words(row.get("words")) : [])
        }
        return transcripts
    }

    static func transcriptStatement(_ ids: [String], owner: String) -> SQL {
        "SELECT capsule, text, words FROM capsule_transcript WHERE capsule IN (\(sql: .list(ids))) AND owner = \(owner)"
    }

    static func textStatement(_ ids: [String], owner: String) -> SQL {
        "SELECT capsule, text FROM capsule_transcript WHERE capsule IN (\(sql: .list(ids))) AND owner = \(owner)"
    }

    /// JSON, opaque to SQL.
    static func words(_ column: String) throws -> [SpokenWord] { try JSONDecoder().decode([SpokenWord].self, from: Data(column.utf8)) }

    static func column(_ words: [SpokenWord]) throws -> String {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        return String(decoding: try encoder.encode(words), as: UTF8.self)
    }
}
