import Core
import Database
import FeatureKit
import Foundation
import KeepsakeWire
import Web

extension CapsuleStore {
    typealias Whole = (capsule: StoredCapsule, transcript: StoredTranscript?)

    /// A page of capsules, whose transcripts together fit in one response.
    struct ListedPage: Sendable {
        let page: Page<StoredCapsule, TimeKey>
        /// The capsules with their transcripts; `nil` when the transcripts are long. Then wait for a turn (`WebContext.waitForTurn`) before
        /// you read them.
        let capsules: [Whole]?
    }

    /// A page of capsules, newest first.
    func page(owner: String, _ request: PageRequest<TimeKey>) async throws -> ListedPage {
        let statement = Self.listStatement(owner: owner, after: request.after, limit: request.rowLimit)
        return try await database.read { tx in
            let rows = try tx.list(statement, StoredCapsule.init)
            let page = Page(inBytes: rows, limit: request.limit, byteCount: \.textByteCount) { TimeKey(at: $0.createdAt, id: $0.id) }
            let byteCount: Int64 = page.rows.reduce(0) { $0 + $1.textByteCount }
            guard byteCount <= LongWork.byteCount else { return ListedPage(page: page, capsules: nil) }
            return ListedPage(page: page, capsules: try wholes(page.rows, tx))
        }
    }

    /// The capsules with their transcripts, in the same order. Capsules that were deleted meanwhile are missing.
    func wholes(_ capsules: [StoredCapsule]) async throws -> [Whole] {
        try await database.read { tx in try wholes(capsules, tx) }
    }

    private func wholes(_ capsules: [StoredCapsule], _ tx: ReadTransaction) throws -> [Whole] {
        let transcripts = try transcripts(of: capsules, tx)
        return capsules.compactMap { capsule in
            let transcript = transcripts[capsule.id]
            guard transcript != nil || capsule.transcriptSize == 0 else { return nil }
            return (capsule: capsule, transcript: transcript)
        }
    }

    static func listStatement(owner: String, after key: TimeKey?, limit: Int) -> SQL {
        "\(sql: StoredCapsule.table.select) WHERE capsule.owner = \(owner)" + byTime[.descending].page(after: key?.sql, limit: limit)
    }

    private static let byTime = TwoWayKeyset("capsule.created_at", "capsule.id")

    // MARK: Timeline and search results

    /// The capsules whose recording is uploaded, without their transcripts.
    func timeline(_ request: EntryKind.Request, _ tx: ReadTransaction) throws -> [EntryKind.Listed] {
        // Capsules have no tags, so a filter by tag finds none.
        guard request.tag == nil else { return [] }
        return try tx.list(Self.timelineStatement(request), StoredCapsule.init).map { capsule in
            EntryKind.Listed(
                position: EntryKind.Position(at: capsule.createdAt, id: capsule.id), kind: Self.kind, byteCount: capsule.textByteCount)
        }
    }

    static func timelineStatement(_ request: EntryKind.Request) -> SQL {
        // The index is partial: an engine uses it only if the statement repeats the condition literally.
        "\(sql: StoredCapsule.table.select) WHERE capsule.owner = \(request.owner) AND capsule.status <> 'uploading'"
            + request.range("capsule.created_at") + byTime[request.order].page(after: request.after?.sql, limit: request.limit)
    }

    /// The approximate length of each capsule's texts in bytes, by the capsule's id.
    func lengths(_ ids: [String], owner: String, _ tx: ReadTransaction) throws -> [String: Int64] {
        guard !ids.isEmpty else { return [:] }
        let capsules = try tx.list(Self.capsulesStatement(ids, owner: owner), StoredCapsule.init)
        return Dictionary(capsules.map { ($0.id, $0.textByteCount) }) { first, _ in first }
    }

    static func capsulesStatement(_ ids: [String], owner: String) -> SQL {
        "\(sql: StoredCapsule.table.select) WHERE id IN (\(sql: .list(ids))) AND \(sql: .owned(by: owner))"
    }

    /// The capsules with these ids, with their transcripts. Skips ids that do not exist or belong to another account. Leaves out the times
    /// of words, which a timeline does not show.
    func capsules(_ ids: [String], owner: String, _ tx: ReadTransaction) throws -> [(StoredCapsule, StoredTranscript?)] {
        guard !ids.isEmpty else { return [] }
        let capsules = try tx.list(Self.capsulesStatement(ids, owner: owner), StoredCapsule.init)
        let texts = try transcripts(of: capsules, withWords: false, tx)
        return capsules.map { ($0, texts[$0.id]) }
    }

    // MARK: Transcripts

    /// The transcripts, by capsule id.
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
        "SELECT capsule, text, words FROM capsule_transcript WHERE capsule IN (\(sql: .list(ids))) AND \(sql: .owned(by: owner))"
    }

    static func textStatement(_ ids: [String], owner: String) -> SQL {
        "SELECT capsule, text FROM capsule_transcript WHERE capsule IN (\(sql: .list(ids))) AND \(sql: .owned(by: owner))"
    }

    /// Decodes the JSON of the column `words`. No SQL statement parses it.
    static func words(_ column: String) throws -> [SpokenWord] { try JSONDecoder().decode([SpokenWord].self, from: Data(column.utf8)) }

    static func column(_ words: [SpokenWord]) throws -> String {
        let encoder = JSONEncoder.withSortedKeys()
        return String(decoding: try encoder.encode(words), as: UTF8.self)
    }
}
