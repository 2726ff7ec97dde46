import Blobs
import Core
import Database
import Foundation
import Testing

@testable import Capsules
@testable import Coves
@testable import Media
@testable import Moments
@testable import People
@testable import keepsake

/// How much of its quota an account uses: as the account's row stores it, or as the sum of its other rows.
struct QuotaUsage: Equatable, Sendable, CustomStringConvertible {
    var fileBytes: Int64 = 0
    var files: Int64 = 0
    var rowBytes: Int64 = 0
    var reservedBytes: Int64 = 0

    var total: Int64 { fileBytes + rowBytes + reservedBytes }
    var description: String { "\(fileBytes) B in \(files) files, \(rowBytes) B of rows, \(reservedBytes) B reserved" }

    /// The usage that `media_usage` stores.
    static func kept(of owner: String, _ tx: ReadTransaction) throws -> QuotaUsage {
        let row = try tx.row("SELECT byte_count, file_count, row_bytes, reserved_bytes FROM media_usage WHERE account = \(owner)")
        guard let row else { return QuotaUsage() }
        return QuotaUsage(
            fileBytes: try row.get("byte_count"), files: try row.get("file_count"), rowBytes: try row.get("row_bytes"),
            reservedBytes: try row.get("reserved_bytes"))
    }

    /// The usage counted again from all rows.
    static func recounted(of owner: String, _ tx: ReadTransaction) throws -> QuotaUsage {
        var usage = QuotaUsage()
        let assets = try tx.list("SELECT \(sql: Asset.table.columns), media.row_bytes FROM media WHERE owner = \(owner)") { row in
            (try Asset(&row), try row.next("row_bytes") as Int64?)
        }
        for (asset, own) in assets {
            usage.fileBytes += asset.byteCount
            usage.files += 1
            // If a file belongs to a chat, its row also counts the bytes of the row in `chat_file`.
            let further: Int64? = try tx.row("SELECT row_bytes FROM chat_file WHERE id = \(asset.id)")?.get("row_bytes")
            usage.rowBytes += asset.rowBytes + (further ?? 0)
            #expect(own == asset.rowBytes + (further ?? 0))
        }
        let moments = try tx.list("\(sql: Moment.table.select) WHERE owner = \(owner)") { try Moment(&$0, of: owner) }
        usage.rowBytes += moments.reduce(0) { $0 + $1.rowBytes }
        for capsule in try tx.list("\(sql: StoredCapsule.table.select) WHERE owner = \(owner)", StoredCapsule.init) {
            let transcript = try tx.row("SELECT text, words FROM capsule_transcript WHERE capsule = \(capsule.id)")
            usage.rowBytes += capsule.rowBytes(text: try transcript?.get("text"), words: try transcript?.get("words"))
        }
        for row in try tx.rows(ProfileStore.values(of: owner)) {
            let rowBytes = try ProfileValues(row).rowBytes
            usage.rowBytes += rowBytes
            #expect(try row.get("row_bytes") == rowBytes)
        }
        for (event, own) in try tx.list(
            "SELECT \(sql: CoveEvent.table.columns), cove_event.row_bytes FROM cove_event WHERE host = \(owner) AND ended_at IS NULL",
            { row in (try CoveEvent(&row), try row.next("row_bytes") as Int64) })
        {
            usage.rowBytes += own
            #expect(own == event.rowBytes)
        }
        // Coves that have ended count until they are deleted.
        for (cove, own) in try tx.list(
            "SELECT \(sql: Cove.table.columns), cove.row_bytes FROM cove WHERE creator = \(owner)",
            { row in (try Cove(&row), try row.next("row_bytes") as Int64) })
        {
            usage.rowBytes += own
            #expect(own == cove.rowBytes)
        }
        for invite in try tx.list("\(sql: CoveInvite.table.select) WHERE sender = \(owner)", CoveInvite.init) {
            usage.rowBytes += invite.rowBytes
        }
        for row in try tx.rows("SELECT row_bytes, answer, resources_left FROM idempotency WHERE account = \(owner)") {
            let (own, answer): (Int64?, String?) = (try row.get("row_bytes"), try row.get("answer"))
            // A key whose response was deleted still counts the bytes of its own row.
            let isDeleted = try row.get("resources_left", as: Int64?.self) == 0
            let expected = answer.map { 512 + Int64($0.utf8.count) } ?? (isDeleted ? 512 : nil)
            #expect(own == expected)
            usage.rowBytes += own ?? 0
        }
        for table: SQL in ["capture", "contact", "capture_hour", "capture_day", "chat_conversation", "chat_message"] {
            for row in try tx.rows("SELECT row_bytes FROM \(sql: table) WHERE owner = \(owner)") {
                usage.rowBytes += try row.get("row_bytes", as: Int64.self)
            }
        }
        for row in try tx.rows("SELECT byte_count FROM upload_reservation WHERE owner = \(owner)") {
            usage.reservedBytes += try row.get("byte_count", as: Int64.self)
        }
        return usage
    }
}

extension TestServer {
    /// Checks that the stored usage equals the recounted usage, and returns it.
    func checkedUsage(of person: Person) async throws -> QuotaUsage {
        let (kept, recounted) = try await backend.database.read { tx in
            (try QuotaUsage.kept(of: person.id, tx), try QuotaUsage.recounted(of: person.id, tx))
        }
        #expect(kept == recounted, "counted: \(kept); there are: \(recounted)")
        return kept
    }
}
