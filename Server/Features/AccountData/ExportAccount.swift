import Blobs
import Core
import Database
import FeatureKit
import KeepsakeWire
import Web

/// `GET /auth/export`: an account's data as a ZIP archive. The server makes the archive while it sends it.
struct ExportAccount: Sendable {
    let reader: PersonalReader
    let blobs: any BlobStore
    let clock: WallClock
    let turns: ArchiveTurns

    func handle(_ input: Empty, _ context: WebContext) async throws -> Download {
        let viewer = try context.requireViewer()
        let slot = try turns.begin(viewer.accountID, network: context.requester.network)
        // The export counts against the account's rate only from here on, so that refused requests do not count.
        try await context.count(.export)
        let (account, now) = (viewer.accountID, clock.now)
        let day = WireDate.format(microseconds: now.microseconds, .wholeSeconds).prefix(10)
        return Download(contentType: "application/zip", fileName: "keepsake-\(day).zip") { body in
            var archive = ArchiveWriter(body, slot: slot, now: now)
            try await archive.add("README.txt", Self.explanation)
            try await addTables(of: account, to: &archive)
            try await addOriginals(of: account, to: &archive)
            try await archive.finish()
            withExtendedLifetime(slot) {}
        }
    }

    private func addTables(of account: String, to archive: inout ArchiveWriter) async throws {
        for table in reader.tables {
            var place: PersonalReader.Place? = .first
            var part = 0
            repeat {
                part += 1
                try await archive.begin("data/\(table.name)\(part == 1 ? "" : "-\(part)").json", byteCount: nil)
                try await archive.write("[")
                var isFirst = true
                while let from = place, archive.byteCount < Self.partByteCount {
                    let isFirstPage = isFirst
                    let page = try await archive.slot.making {
                        try await reader.rows(table, of: account, from: from, isFirst: isFirstPage, turns.pieces)
                    }
                    try await archive.write(page.text)
                    place = page.next
                    isFirst = false
                }
                try await archive.write("\n]\n")
                try await archive.end()
            } while place != nil
        }
    }

    private func addOriginals(of account: String, to archive: inout ArchiveWriter) async throws {
        for feature in reader.features {
            var last: OriginalFile?
            while true {
                let after = last
                let files = try await archive.slot.making { try await reader.originals(of: account, in: feature, after: after) }
                guard let end = files.last else { break }
                last = end
                for file in files {
                    let name = "files/\(file.id)-\(ArchiveName.safe(file.name))"
                    try await archive.add(name, file.blob, modifiedAt: file.createdAt, from: blobs)
                }
            }
        }
    }

    /// The most bytes of a file with a table's rows. A larger table is split into several files, so that each stays below the limit for a
    /// ZIP entry whose size is not known in advance.
    private static let partByteCount: Int64 = 1 << 30

    private static let explanation = """
        Everything that this server stores about your account.

        files/   what you sent, byte for byte; each name begins with the id of the file
        data/    the rows, one file a table, as JSON; media.json has the files' names, titles and tags, moment.json your moods, memories
                 and events with the ids of their files, moment_file.json the same from the files' side. Times are in UTC.

        Not included: your password and tokens, which the server does not store in readable form, and smaller copies of pictures.

        """
}
