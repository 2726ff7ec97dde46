package import Database
import Foundation

/// What an account's end does to uploads that can be gone on with.
extension UploadJournal: TableOwner {
    package static var personalTables: [PersonalTable] {
        [
            PersonalTable(
                "upload", owner: .column("owner"), order: ["created_at", "id"],
                columns: [
                    .plain("id"), .plain("purpose"), .plain("offset_bytes"), .time("created_at"), .withheld("owner"), .withheld("epoch"),
                    .withheld("state"),
                ],
                ending: .room)
        ]
    }

    package struct Abandoned: Sendable {
        package let id: String
        /// Bytes that are staged.
        package let keys: [BlobKey]
    }

    /// Some of the uploads of `owner`. Whoever erases them removes the bytes first and then says `forget`: after a crash in between, the
    /// rows still say which bytes there are.
    package static func uploads(of owner: String, count: Int, _ tx: ReadTransaction) throws -> [Abandoned] {
        try tx.rows(uploads(of: owner, count: count)).map { row in
            // A state that cannot be read has bytes nobody can find by it: the sweep takes them.
            let state = try? JSONDecoder().decode(State.self, from: Data(try row.get("state", as: String.self).utf8))
            return Abandoned(id: try row.get("id"), keys: state?.session.keys ?? [])
        }
    }

    package static func forget(_ ids: [String], of owner: String, _ tx: WriteTransaction) throws {
        for id in ids { try tx.run("DELETE FROM upload WHERE id = \(id) AND owner = \(owner)") }
    }

    package static func uploads(of owner: String, count: Int) -> SQL {
        "SELECT id, state FROM upload WHERE owner = \(owner) ORDER BY created_at LIMIT \(count)"
    }

    /// The part of every state that names bytes.
    private struct State: Decodable { let session: UploadCheckpoint }
}

extension UploadCheckpoint {
    fileprivate var keys: [BlobKey] {
        var keys = staged.map(\.settled.blob.key)
        if case .file(let file) = part, let blob = file.blob { keys.append(blob.key) }
        return keys
    }
}
