import Core
import NIOPosix
import Synchronization

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

/// Lists all folders of a store in turn, in batches, so that listing millions of files never blocks a thread for long.
final class LocalBlobSource: BlobSource, Sendable {
    private static let turnCount = 512

    private let store: LocalBlobStore
    private let limit: Timestamp?
    private let state = Mutex(State())

    private struct State: ~Copyable {
        var nextFolder = 0
        var listing: FolderListing?
    }

    init(_ store: LocalBlobStore, olderThan limit: Timestamp?) {
        self.store = store
        self.limit = limit
    }

    func next() async throws -> [BlobListing.Entry]? {
        let entries = try await store.reading.perform { try self.nextBlocking() }
        return entries.isEmpty ? nil : entries
    }

    private func nextBlocking() throws -> [BlobListing.Entry] {
        try state.withLock { state in
            while true {
                if let entries = try state.listing?.next(Self.turnCount), !entries.isEmpty { return entries }
                state.listing = nil
                guard state.nextFolder < BlobFolders.names.count else { return [] }
                state.listing = try FolderListing(store.folders.root + "/" + BlobFolders.names[state.nextFolder], olderThan: limit)
                state.nextFolder += 1
            }
        }
    }
}
