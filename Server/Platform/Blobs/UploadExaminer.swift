package import Core

/// Determines what a complete file is from its content. The session calls it once the file is on the disk, while the next one arrives.
package protocol UploadExaminer: Sendable {
    /// - Parameters:
    ///   - file: complete and durable, but not published.
    ///   - type: the content type that the file's first and last bytes indicate.
    ///   - accepted: the content types that the upload accepts. For a file of another type, the facts may hold that type alone.
    /// - Throws: `FileRefused` when the file is not of that type or is harmful; `Problem(.unavailable)` when the examiner cannot run now.
    func examine(_ file: StagedFile, type: String, accepted: Set<String>) async throws -> FileFacts
}

/// The result of the examination of a file.
package struct FileFacts: Sendable, Equatable, Codable {
    /// The content type. It may be more exact than the indicated one: a video file without a picture track is audio.
    package var type: String
    /// Pixels, after rotation to upright; `nil` for audio.
    package var width: Int?
    /// Pixels, after rotation to upright; `nil` for audio.
    package var height: Int?
    /// Milliseconds; `nil` for a picture, and for a video that does not state it.
    package var durationMilliseconds: Int64?
    /// When the picture or video was taken, by the camera's clock.
    package var takenAt: Timestamp?
    /// Whether the file states no time zone for `takenAt`, so that `takenAt` is the camera's local time read as UTC; `nil` when the file
    /// states a time zone or no time.
    package var isTakenAtLocal: Bool?
    /// For audio, 200 peaks, each from 0 to 255 (full scale).
    package var peaks: [UInt8]?
    /// Whether the metadata of a picture holds a position, or something that cannot be read; `nil` for other files.
    package var mayHavePosition: Bool?
    /// Whether browsers play a film as it is; `nil` for other files, and for a film that names no codec.
    package var playsInBrowsers: Bool?

    package init(
        type: String, width: Int? = nil, height: Int? = nil, durationMilliseconds: Int64? = nil, takenAt: Timestamp? = nil,
        isTakenAtLocal: Bool? = nil, peaks: [UInt8]? = nil, mayHavePosition: Bool? = nil, playsInBrowsers: Bool? = nil
    ) {
        self.mayHavePosition = mayHavePosition
        self.playsInBrowsers = playsInBrowsers
        self.type = type
        self.width = width
        self.height = height
        self.durationMilliseconds = durationMilliseconds
        self.takenAt = takenAt
        self.isTakenAtLocal = isTakenAtLocal
        self.peaks = peaks
    }
}

/// A file is refused because of its content. The file's `UploadRules.FileKind` determines the status of the response.
package struct FileRefused: Error, Sendable, Equatable {
    /// One sentence for the user who sent the file.
    package let message: String

    package init(_ message: String) { self.message = message }
}
