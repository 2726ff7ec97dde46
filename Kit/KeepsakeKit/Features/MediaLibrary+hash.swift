public import Foundation

extension MediaLibrary {
    /// How much of a file `sha256(of:)` reads at once, in bytes.
    private static let pieceByteCount = 262_144

    /// The SHA-256 of a file's bytes. With it, `list(sha256:)` tells whether the account has this file already.
    ///
    /// Reads the file piece by piece and outside of actors, so that the app stays responsive and memory does not grow with the file. A
    /// cancelled task stops reading.
    /// - Returns: 64 lower-case hexadecimal digits, as in the `ETag` of the file on the server.
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
            // Other tasks get their turn on the few threads of the concurrency runtime.
            await Task.yield()
        }
        return hash.digits
    }
}
