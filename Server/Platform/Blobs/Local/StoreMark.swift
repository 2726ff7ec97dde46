#if canImport(Glibc)
    import Glibc
#elseif canImport(Darwin)
    import Darwin
#endif

/// The file DIR/keepsake.installation, which names the installation whose files are in the folder. The server uses it to recognise the
/// folder of another installation: if two installations shared a folder, each would delete the files of the other, because its own database
/// has no rows for them. Its methods block.
package struct StoreMark: Sendable {
    package let path: String
    private let folder: String

    /// - Parameter folder: the folder of a `LocalBlobStore`; only `write` needs it to exist.
    package init(in folder: String) {
        self.folder = folder
        path = folder + "/keepsake.installation"
    }

    /// - Returns: the id of the installation; `nil` when the folder has no mark, or does not exist.
    package func read() throws -> String? {
        let descriptor: CInt
        do {
            descriptor = try Disk.open(path, O_RDONLY, "opening keepsake.installation")
        } catch BlobError.system(operation: _, code: let code) where code == ENOENT || code == ENOTDIR {
            return nil
        }
        defer { Disk.close(descriptor) }
        var bytes = [UInt8](repeating: 0, count: 256)
        let count = try bytes.withUnsafeMutableBytes { try Disk.read(descriptor, into: $0, at: 0) }
        let id = String(decoding: bytes[..<count].prefix { $0 != 10 }, as: UTF8.self)
        return id.isEmpty ? nil : id
    }

    /// Writes the mark durably and replaces an existing one. A crash leaves no incomplete mark.
    package func write(_ installation: String) throws {
        let temporary = path + ".new"
        do {
            let descriptor = try Disk.open(temporary, O_WRONLY | O_CREAT | O_TRUNC, "writing keepsake.installation")
            defer { Disk.close(descriptor) }
            try Array((installation + "\n").utf8).withUnsafeBytes { try Disk.write(descriptor, $0, at: 0) }
            try Disk.sync(descriptor, "syncing keepsake.installation")
        } catch {
            _ = try? Disk.remove(temporary)
            throw error
        }
        guard try Disk.move(temporary, to: path) else { throw BlobError("writing keepsake.installation", ENOENT) }
        try Disk.syncFolder(folder)
    }
}
