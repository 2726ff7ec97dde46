/// The folders of the local store. A published blob is the file DIR/blobs/{00..ff}/KEY. Before that it is DIR/blobs/tmp/KEY or, if it is
/// resumable, DIR/blobs/held/KEY.
struct BlobFolders: Sendable {
    /// DIR/blobs
    let root: String

    init(in folder: String) { root = folder + "/blobs" }

    /// Staged blobs that are not resumable; emptied when the server starts.
    var staging: String { root + "/tmp" }
    /// Staged blobs that are resumable; kept across restarts.
    var held: String { root + "/held" }

    /// One folder for each possible first byte of a key, so that no folder grows too large.
    static let names: [String] = (0..<256).map { BlobFolders.name(UInt8($0)) }

    private static func name(_ byte: UInt8) -> String { (byte < 16 ? "0" : "") + String(byte, radix: 16) }

    func folder(of key: BlobKey) -> String { root + "/" + key.text.prefix(2) }
    func published(_ key: BlobKey) -> String { folder(of: key) + "/" + key.text }
    func staged(_ key: BlobKey) -> String { staging + "/" + key.text }
    func held(_ key: BlobKey) -> String { held + "/" + key.text }

    /// Creates `root`, its parents, and the folders of staged blobs durably. Publications create the folders of published blobs, because
    /// 256 folders would make the first start slow.
    /// - Returns: the existing folders of published blobs. They are durable.
    func make() throws -> Set<String> {
        let folder = String(root.dropLast("/blobs".count))
        try makeWithParents(folder)
        try Disk.makeFolder(root)
        try Disk.makeFolder(staging)
        try Disk.makeFolder(held)
        let existing = Set(Self.names.map { root + "/" + $0 }.filter(Disk.exists))
        // Sync even if no folder was created now: an earlier process may have been killed between creating and syncing.
        try Disk.syncFolder(root)
        try Disk.syncFolder(folder)
        return existing
    }

    private func makeWithParents(_ path: String) throws {
        guard !path.isEmpty, !Disk.exists(path) else { return }
        let parent = Self.parent(of: path)
        try makeWithParents(parent)
        try Disk.makeFolder(path)
        try Disk.syncFolder(parent)
    }

    private static func parent(of path: String) -> String {
        guard let slash = path.lastIndex(of: "/") else { return "." }
        return slash == path.startIndex ? "/" : String(path[..<slash])
    }
}
