public import Foundation

extension MediaLibrary {
    /// How many bytes of a file `sha256(of:)` reads in one call.
    private static let pieceByteCount = 262_144

    /// The SHA-256 of a file's bytes. With it, `list(sha256:)` shows whether the account already has this file.
    ///
    /// Reads the file in pieces and not on an actor, so that the app stays responsive and memory does not grow with the file. If the task
    /// is cancelled, the reading stops.
    /// - Returns: 64 lower-case hexadecimal digits, the same as in the `ETag` that the server sends for the file.
    /// - Throws: Foundation's error if the file cannot be read; `CancellationError`.
    public static func sha256(of file: URL) async throws -> String {
        let input = try FileHandle(forReadingFrom: file)
        defer { try? input.close() }
        var hash = ContentHash()
        var isAtEnd = false
        while !isAtEnd {
            try Task.checkCancellation()
            try MultipartForm.pool {
                if let piece = try input.read(upToCount: pieceByteCount), !piece.isEmpty {
                    hash.update(piece)
                } else {
                    isAtEnd = true
                }
            }
            // Let other tasks run: the concurrency runtime has few threads.
            await Task.yield()
        }
        return hash.digits
    }
}
