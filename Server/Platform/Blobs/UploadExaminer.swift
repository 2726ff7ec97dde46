package import Core

/// Says what a whole file is by its inside. The session asks once the file is on the disk, while the next one arrives.
package protocol UploadExaminer: Sendable {
    /// - Parameter type: what the outside of the file says.
    /// - Throws: `FileRefused` for what is not such a file, or does harm; `Problem(.unavailable)` when nobody can look just now.
    func examine(_ file: any BlobReader, type: String) async throws -> FileFacts
}

/// What a file was found to be.
package struct FileFacts: Sendable, Equatable, Codable {
    /// The content type, which may be more exact than what the outside said: a film without pictures is a sound.
    package var type: String
    /// Pixels, upright; `nil` for a sound.
    package var width: Int?
    /// Pixels, upright; `nil` for a sound.
    package var height: Int?
    /// Milliseconds; `nil` for a picture, and for a film that does not say.
    package var durationMilliseconds: Int64?
    /// When it was taken, by the camera's clock; one that does not tell its zone counts as UTC.
    package var takenAt: Timestamp?
    /// 200 peaks, 0...255 of full scale, of a sound.
    package var peaks: [UInt8]?

    package init(
        type: String, width: Int? = nil, height: Int? = nil, durationMilliseconds: Int64? = nil, takenAt: Timestamp? = nil,
        peaks: [UInt8]? = nil
    ) {
        self.type = type
        self.width = width
        self.height = height
        self.durationMilliseconds = durationMilliseconds
        self.takenAt = takenAt
        self.peaks = peaks
    }
}

/// A file that is not taken, by what is inside. The rules of its kind say with which status.
package struct FileRefused: Error, Sendable, Equatable {
    /// One sentence for the person who sent it.
    package let message: String

    package init(_ message: String) { self.message = message }
}
