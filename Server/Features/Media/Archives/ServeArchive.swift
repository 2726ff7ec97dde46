import Blobs
import Core
import KeepsakeWire
import Web

/// `GET /api/users/user/{userId}/multimedia/archives/{archiveId}`: the selected files as a ZIP archive, which is made while it is sent.
struct ServeArchive: Sendable {
    let archives: SelectedArchives
    let blobs: any BlobStore
    let clock: WallClock
    let turns: ArchiveTurns
    let sessions: any SessionWatch

    func handle(_ input: MediaArchivePath, _ context: WebContext) async throws -> Download {
        let now = clock.now
        guard let archive = try await archives.archive(input.archiveId, owner: input.userId, at: now),
            try await sessions.live([archive.maker]).contains(archive.maker)
        else {
            throw Problem(.notFound, "There is no such archive, or its link has expired.")
        }
        let slot = try turns.begin(archive.owner, network: context.requester.network)
        let day = WireDate.format(microseconds: now.microseconds, .wholeSeconds).prefix(10)
        return Download(contentType: "application/zip", fileName: "keepsake-files-\(day).zip", linkMaker: archive.maker) { body in
            var writer = ArchiveWriter(body, slot: slot, now: now)
            var names = ArchiveNames()
            var rest = archive.files[...]
            while !rest.isEmpty {
                let ids = Array(rest.prefix(Self.pageCount))
                rest = rest.dropFirst(ids.count)
                let files = try await writer.slot.making { try await archives.files(ids, owner: archive.owner) }
                // Files that were deleted since the link was made are left out.
                for id in ids {
                    guard let file = files[id] else { continue }
                    try await writer.add(names.next(file.name), file.blob, modifiedAt: file.moment, from: blobs)
                }
            }
            try await writer.finish()
            withExtendedLifetime(slot) {}
        }
    }

    /// The most files whose rows are read at a time.
    private static let pageCount = 50
}
