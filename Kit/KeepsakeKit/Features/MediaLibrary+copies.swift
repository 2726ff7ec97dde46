public import Foundation
public import KeepsakeWire

extension MediaLibrary {
    /// The size and format of a smaller copy of a picture or of a film's first frame. A copy is upright, in sRGB, without metadata, and
    /// never larger than the original.
    public struct Size: Sendable, Equatable {
        public enum Format: String, Sendable, CaseIterable {
            case jpeg, webp, avif
        }

        /// Pixels, 1…2048. At least one of `width` and `height` is required. The server rounds up to 64, 128, 256, 384, 512, 768, 1024,
        /// 1536 or 2048.
        public var width: Int?
        /// Pixels, as `width`.
        public var height: Int?
        /// If `true`, the center of the picture fills the box of `width` and `height`, which are then both required. If `false`, the whole
        /// picture fits into the box.
        public var isCover: Bool
        /// If `nil`, the default, the copy is WebP if the request's `Accept` names WebP, else JPEG. A download through this library is then
        /// JPEG.
        public var format: Format?
        /// 1…100; `nil` means 80. The server rounds up to 50, 65, 80 or 95.
        public var quality: Int?

        public init(width: Int? = nil, height: Int? = nil, isCover: Bool = false, format: Format? = nil, quality: Int? = nil) {
            self.width = width
            self.height = height
            self.isCover = isCover
            self.format = format
            self.quality = quality
        }

        fileprivate func input(_ fileId: String, of account: String) -> FileInput {
            FileInput(
                userId: account, fileId: fileId, w: width, h: height, fit: isCover ? "cover" : nil, format: format?.rawValue, q: quality)
        }

        fileprivate var query: [(name: String, value: String)] {
            [
                ("w", width.map(String.init)), ("h", height.map(String.init)), ("fit", isCover ? "cover" : nil),
                ("format", format?.rawValue), ("q", quality.map(String.init)),
            ].compactMap { name, value in value.map { (name, $0) } }
        }
    }

    // MARK: Downloads

    /// Downloads a file of the library. The file appears at `destination` only when it is complete.
    /// - Parameter size: `nil` for the original.
    /// - Throws: status 400 with the `field` `w`, `h` or `q` for a size that no copy can have; 422 when the file contains no picture.
    public func download(
        _ fileId: String, size: Size? = nil, to destination: URL, progress: ProgressHandler? = nil
    ) async throws {
        try await client.download(MediaEndpoints.file, to: destination, .init(progress: ProgressReport(progress))) {
            size?.input(fileId, of: $0) ?? FileInput(userId: $0, fileId: fileId)
        }
    }

    /// Downloads a film in a format that browsers play: the original if browsers play it, else a copy in MP4 with H.264 and AAC. A file
    /// that is not a film is downloaded as it is. While the server converts the film, the call waits, at most for
    /// `RetryPolicy.fileDeadline`.
    /// - Throws: status 409 with `retryAfter` if the server has not converted the film in this time; 422 if it cannot convert the film, for
    ///   example because the film is too long for the server's limits.
    public func downloadPlayable(_ fileId: String, to destination: URL, progress: ProgressHandler? = nil) async throws {
        try await client.download(MediaEndpoints.file, to: destination, .init(progress: ProgressReport(progress))) {
            FileInput(userId: $0, fileId: fileId, play: 1)
        }
    }

    // MARK: Links

    /// The link to a smaller copy, for a view that loads the copy without a credential.
    /// - Parameter url: a signed link: the `url` of a file, or one of the `imageUrls` of an entry.
    /// - Returns: `nil` if `url` is not a URL.
    public static func link(_ url: String, size: Size) -> URL? { link(url, adding: size.query) }

    /// The link to a film in a format that browsers play; see `downloadPlayable` for the errors.
    /// - Parameter url: as for `link(_:size:)`.
    public static func playableLink(_ url: String) -> URL? { link(url, adding: [("play", "1")]) }

    /// A link's signature covers only its path, so parameters can be added.
    private static func link(_ url: String, adding query: [(name: String, value: String)]) -> URL? {
        guard var components = URLComponents(string: url) else { return nil }
        components.queryItems = (components.queryItems ?? []) + query.map { URLQueryItem(name: $0.name, value: $0.value) }
        return components.url
    }

    // MARK: Archives

    /// Creates a link to a ZIP archive of files, for example for a browser. The link works for an hour. An account has at most 20 such
    /// links; when another one is created, the oldest stops working.
    /// - Parameter fileIds: 1…1,000 files of the library; repetitions count once.
    /// - Throws: status 404 if one of the files does not exist, 429 while another archive of the account is being sent.
    public func createArchive(of fileIds: [String]) async throws -> MediaArchiveResponse {
        // A repeated request creates another link, which does no harm.
        try await client.send(MediaEndpoints.createArchive, .init(repeats: true)) { MediaArchiveInput(userId: $0, fileIds: fileIds) }
    }

    /// Downloads a ZIP archive of the original files, without compression. The archive appears at `destination` only when it is complete.
    /// - Parameters:
    ///   - fileIds: as for `createArchive(of:)`.
    ///   - progress: reports only the end, because the length of the archive is not known in advance.
    /// - Throws: the same errors as `createArchive(of:)`.
    public func downloadArchive(of fileIds: [String], to destination: URL, progress: ProgressHandler? = nil) async throws {
        let session = try await client.session.currentID()
        let archive = try await client.send(MediaEndpoints.createArchive, .init(sessionID: session, repeats: true)) {
            MediaArchiveInput(userId: $0, fileIds: fileIds)
        }
        try await client.download(MediaEndpoints.archive, to: destination, .init(progress: ProgressReport(progress), sessionID: session)) {
            MediaArchivePath(userId: $0, archiveId: archive.archiveId)
        }
    }
}
