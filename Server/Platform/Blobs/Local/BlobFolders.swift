/// Where the file engine keeps what: DIR/blobs/{00..ff}/KEY; before it is published DIR/blobs/tmp/KEY, or DIR/blobs/held/KEY if it is
/// resumable.
struct BlobFolders: Sendable {
    /// DIR/blobs
    let root: String

    init(in folder: String) { root = folder + "/blobs" }

    /// Emptied at every start.
    var staging: String { root + "/tmp" }
    /// Survives it.
    var held: String { root + "/held" }

    /// A folder for each first byte a key may have, so that none grows too long.
    static let names: [String] = (0..<256).map { BlobFolders.name(UInt8($0)) }

    private static func name(_ byte: UInt8) -> String { (byte < 16 ? "0" : "") + String(byte, radix: 16) }

    func folder(of key: BlobKey) -> String { root + "/" + key.text.prefix(2) }
    func published(_ key: BlobKey) -> String { folder(of: key) + "/" + key.text }
    func staged(_ key: BlobKey) -> String { staging + "/" + key.text }
    func held(_ key: BlobKey) -> String { held + "/" + key.text }

    /// Makes what is missing, durably, above `root` too.
    func make() throws {
        let folder = String(root.dropLast("/blobs".count))
        try makeWithParents(folder)
        try Disk.makeFolder(root)
        try Disk.makeFolder(staging)
        try Disk.makeFolder(held)
        for name in Self.names { try Disk.makeFolder(root + "/" + name) }
        // Also when nothing had to be made now: whoever made it may have been killed before it came to this.
        try Disk.syncFolder(root)
        try Disk.syncFolder(folder)
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
