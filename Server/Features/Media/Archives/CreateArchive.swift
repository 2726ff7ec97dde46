import Core
import KeepsakeWire
import Web

/// `POST /api/users/user/{userId}/multimedia/archives`: makes a link to an archive of selected files. With a link, a browser downloads the
/// archive without holding it in memory. The link names the archive, because a URL cannot hold a thousand ids of files.
struct CreateArchive: Sendable {
    let archives: SelectedArchives
    let presenter: MediaPresenter
    let identifiers: Identifiers
    let turns: ArchiveTurns

    func handle(_ input: MediaArchiveInput, _ context: WebContext) async throws -> MediaArchiveResponse {
        let viewer = try context.requireViewer()
        let owner = viewer.accountID
        let ids = try Self.checked(input.fileIds)
        // A browser does not show why it refuses a link. So if no further archive can be sent to the caller, this request already fails.
        _ = try turns.begin(owner, network: context.requester.network)
        let archive = SelectedArchives.Archive(
            id: identifiers.next(), maker: viewer, files: ids, expiresAt: identifiers.clock.now + Self.lifetime)
        let size = try await archives.add(archive)
        return MediaArchiveResponse(
            archiveId: archive.id, url: presenter.archiveLink(archive.id, owner: owner), count: ids.count, size: Int(size),
            expiresAt: Int(archive.expiresAt.milliseconds))
    }

    static let limit = 1_000
    static let lifetime: Duration = .hours(1)

    /// - Returns: each id once, in the order of the request.
    static func checked(_ ids: [String]) throws -> [String] {
        guard !ids.contains(where: { $0.utf8.contains(0) }) else {
            throw Problem(.invalid, "The id of a file contains no NUL character.", field: "fileIds")
        }
        var seen: Set<String> = []
        let unique = ids.filter { seen.insert($0).inserted }
        guard !unique.isEmpty else { throw Problem(.invalid, "Name at least one file.", field: "fileIds") }
        guard unique.count <= limit else {
            throw Problem(.invalid, "An archive has at most \(limit) files; got \(unique.count).", field: "fileIds")
        }
        return unique
    }
}
