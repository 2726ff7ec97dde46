package import Database
import Foundation

/// Erases an account's resumable uploads.
extension UploadJournal: TableOwner {
    /// The staged bytes of unfinished uploads are neither copied nor in a backup, so clients start such uploads again.
    package static var localTables: [String] { ["upload"] }

    package static var personalTables: [PersonalTable] {
        [
            PersonalTable(
                "upload", owner: .column("owner"), order: ["created_at", "id"],
                columns: [
                    .plain("id"), .plain("purpose"), .plain("offset_bytes"), .time("created_at"), .withheld("owner"), .withheld("epoch"),
                    .withheld("state"),
                ],
                ending: .batches)
        ]
    }

    package struct Abandoned: Sendable {
        package let id: String
        /// The keys of the upload's staged bytes.
        package let keys: [BlobKey]
    }

    /// Up to `count` uploads of `owner`. To erase them, delete the bytes first and then call `forget`: after a crash in between, the rows
    /// still name the bytes.
    package static func uploads(of owner: String, count: Int, _ tx: ReadTransaction) throws -> [Abandoned] {
        try tx.rows(uploads(of: owner, count: count)).map { row in
            // An unreadable state does not name its bytes; the sweep deletes them.
            let state = try? JSONDecoder().decode(State.self, from: Data(try row.get("state", as: String.self).utf8))
            return Abandoned(id: try row.get("id"), keys: state?.session.keys ?? [])
        }
    }

    package static func forget(_ ids: [String], of owner: String, _ tx: WriteTransaction) throws {
        for id in ids { try tx.send("DELETE FROM upload WHERE id = \(id) AND owner = \(owner)") }
    }

    package static func uploads(of owner: String, count: Int) -> SQL {
        "SELECT id, state FROM upload WHERE owner = \(owner) ORDER BY created_at LIMIT \(count)"
    }

    /// The part of a state that names staged bytes.
    private struct State: Decodable { let session: UploadCheckpoint }
}

extension UploadCheckpoint {
    fileprivate var keys: [BlobKey] {
        var keys = staged.map(\.settled.blob.key)
        if case .file(let file) = part, let blob = file.blob { keys.append(blob.key) }
        return keys
    }
}
