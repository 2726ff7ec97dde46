import Core

#if canImport(Glibc)
    import Glibc
#elseif canImport(Darwin)
    import Darwin
#endif

/// Lists the blobs of one folder in batches. Its methods block.
struct FolderListing: ~Copyable {
    private let handle: DirectoryHandle
    private let limit: Timestamp?

    #if canImport(Darwin)
        private typealias DirectoryHandle = UnsafeMutablePointer<DIR>
    #else
        private typealias DirectoryHandle = OpaquePointer
    #endif

    init(_ path: String, olderThan limit: Timestamp?) throws {
        let descriptor = try Disk.open(path, O_RDONLY | O_DIRECTORY, "listing a blob folder")
        guard let handle = fdopendir(descriptor) else {
            let code = errno
            Disk.close(descriptor)
            throw BlobError("listing a blob folder", code)
        }
        self.handle = handle
        self.limit = limit
    }

    deinit { closedir(handle) }

    /// The next `count` blobs; fewer only at the end. Other files are skipped.
    func next(_ count: Int) throws -> [BlobListing.Entry] {
        var entries: [BlobListing.Entry] = []
        while entries.count < count {
            errno = 0
            guard let found = readdir(handle) else {
                if errno != 0 { throw BlobError("listing a blob folder", errno) }
                break
            }
            let length = MemoryLayout.size(ofValue: found.pointee.d_name)
            let entry: BlobListing.Entry? = withUnsafePointer(to: &found.pointee.d_name) { name in
                name.withMemoryRebound(to: CChar.self, capacity: length) { self.entry($0) }
            }
            if let entry { entries.append(entry) }
        }
        return entries
    }

    private func entry(_ name: UnsafePointer<CChar>) -> BlobListing.Entry? {
        guard let key = BlobKey(String(cString: name)), let time = Disk.modificationTime(of: name, in: dirfd(handle)) else { return nil }
        if let limit, time >= limit { return nil }
        return BlobListing.Entry(key: key, stagedAt: time)
    }

    /// - Returns: how many files were removed.
    @discardableResult
    static func removeAll(in folder: String, olderThan limit: Timestamp?) throws -> Int {
        let listing = try FolderListing(folder, olderThan: limit)
        var count = 0
        while case let entries = try listing.next(512), !entries.isEmpty {
            for entry in entries where try Disk.remove(folder + "/" + entry.key.text) { count += 1 }
        }
        return count
    }
}
