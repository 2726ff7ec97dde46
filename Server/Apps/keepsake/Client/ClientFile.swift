import Foundation

/// Checks and measures files that a command's arguments name.
enum ClientFile {
    /// - Throws: `ClientFailure` with exit code 69 unless each path is a file that this user can read.
    static func check(_ paths: [String]) throws -> [URL] {
        try paths.map { path in
            var isFolder: ObjCBool = false
            guard FileManager.default.fileExists(atPath: path, isDirectory: &isFolder) else {
                throw ClientFailure(.unavailable, "\(path): there is no such file.")
            }
            guard !isFolder.boolValue else { throw ClientFailure(.unavailable, "\(path) is a folder; name the files in it.") }
            guard FileManager.default.isReadableFile(atPath: path) else {
                throw ClientFailure(.unavailable, "\(path) cannot be read by this user.")
            }
            return URL(filePath: path)
        }
    }

    /// - Returns: the total size of the files in bytes.
    static func size(_ files: [URL]) -> Int64 {
        files.reduce(0) { $0 + Int64((try? $1.resourceValues(forKeys: [.fileSizeKey]).fileSize) ?? 0) }
    }
}
