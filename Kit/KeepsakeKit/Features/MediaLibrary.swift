public import Foundation
public import KeepsakeWire

/// Photos, films and recordings.
public struct MediaLibrary: Sendable {
    let client: Client

    public struct Labels: Sendable {
        public var title: String?
        public var description: String?
        public var category: String?
        public var tags: [String]
        public var groupId: String?
        /// The time at which all the files were taken; if it is `nil`, the server uses the times in their metadata.
        public var takenAt: Date?

        public init(
            title: String? = nil, description: String? = nil, category: String? = nil, tags: [String] = [], groupId: String? = nil,
            takenAt: Date? = nil
        ) {
            self.title = title
            self.description = description
            self.category = category
            self.tags = tags
            self.groupId = groupId
            self.takenAt = takenAt
        }
    }

    /// Uploads 1…10 files from the disk. Each file has at most 50 MB, unless the server's operator has set another limit.
    /// - Parameter key: as in `Keepsake.send`.
    public func upload(
        _ files: [URL], labels: Labels = Labels(), key: String? = nil, progress: ProgressHandler? = nil
    ) async throws -> UploadResponse {
        let (form, options) = (MultipartForm.upload(files, labels), Client.Options(key: key, progress: ProgressReport(progress)))
        return try await client.send(MediaEndpoints.upload, options, form: form) { OwnerPath(userId: $0) }
    }

    /// The files that match all filters, in the order in which the server stored them: the files of the latest request first, and files of
    /// one request in their order in that request.
    ///
    /// If you filter by `type` and also by several of `category`, `groupId` and `tag`, a page can have fewer files than `limit`, or none,
    /// before the end of the list. The reason is that the server reads a bounded number of files for each page. Request pages until
    /// `nextCursor` is `nil`, as `for try await` does.
    /// - Parameters:
    ///   - from: only files stored at this time or later: a `Date`, or a `CalendarDay` in the account's time zone.
    ///   - to: only files stored before this `Date`, or until the end of this `CalendarDay`. If `to` is not after `from`, the server
    ///     responds 400.
    ///   - type: `image`, `video` or `audio`.
    ///   - isAscending: whether to reverse the order, so that the oldest file comes first. This also reverses the files of one request.
    ///   - limit: the most items on a page, 1…100; the server's default is 20.
    public func list(
        category: String? = nil, groupId: String? = nil, tag: String? = nil, from: (any TimeBound)? = nil,
        to: (any TimeBound)? = nil, type: String? = nil, isAscending: Bool = false, limit: Int? = nil
    ) -> Pages<MediaItem> {
        list(
            ListMediaInput(
                userId: "", limit: limit, category: category, groupId: groupId, tag: tag, order: isAscending ? "asc" : "desc",
                from: from?.rangeText, to: to?.rangeText, type: type))
    }

    /// The account's files with this SHA-256, newest first. An app can check this list so that it does not upload a file twice.
    /// - Parameter sha256: 64 hexadecimal digits; `sha256(of:)` computes them from a file.
    public func list(sha256: String) -> Pages<MediaItem> { list(ListMediaInput(userId: "", sha256: sha256)) }

    /// The files that match all filters, the latest first, by the time at which each was taken or, if that is not known, stored.
    ///
    /// If you filter by several of `category`, `groupId` and `tag`, a page can have fewer files than `limit`, or none, before the end of
    /// the list. The reason is that the server reads a bounded number of files for each page. Request pages until `nextCursor` is `nil`, as
    /// `for try await` does.
    /// - Parameters:
    ///   - from: as in `list`.
    ///   - to: as in `list`.
    ///   - type: `image`, `video` or `audio`.
    public func listByTaken(
        category: String? = nil, groupId: String? = nil, tag: String? = nil, from: (any TimeBound)? = nil,
        to: (any TimeBound)? = nil, type: String? = nil, isAscending: Bool = false, limit: Int? = nil
    ) -> Pages<MediaItem> {
        list(
            ListMediaInput(
                userId: "", limit: limit, category: category, groupId: groupId, tag: tag, sort: "takenAt",
                order: isAscending ? "asc" : "desc", from: from?.rangeText, to: to?.rangeText, type: type))
    }

    private func list(_ input: ListMediaInput) -> Pages<MediaItem> {
        Pages { [client] cursor in
            let page = try await client.send(MediaEndpoints.list) { account in
                var input = input
                input.userId = account
                input.cursor = cursor
                return input
            }
            return Pages.Page(items: page.files, nextCursor: page.pagination.nextCursor)
        }
    }

    public func get(_ id: String) async throws -> MediaItem {
        try await client.send(MediaEndpoints.get) { EntryPath(userId: $0, id: id) }.file
    }

    /// Changes the labels of a file. Labels that stay `.unchanged` keep their value.
    public func update(
        _ id: String, title: Change<String> = .unchanged, description: Change<String> = .unchanged,
        category: Change<String> = .unchanged, tags: Change<[String]> = .unchanged, groupId: Change<String> = .unchanged,
        takenAt: Change<Date> = .unchanged
    ) async throws -> MediaItem {
        let takenAt: Change<Double> =
            switch takenAt {
            case .unchanged: .unchanged
            case .clear: .clear
            // Send seconds: the server would read the milliseconds of a date before 1973 as seconds.
            case .set(let date): .set(date.timeIntervalSince1970)
            }
        return try await client.send(MediaEndpoints.update) {
            UpdateMediaInput(
                userId: $0, id: id, title: title, description: description, category: category, tags: tags, groupId: groupId,
                takenAt: takenAt)
        }.file
    }

    /// Replaces the profile picture.
    /// - Parameter picture: JPEG, PNG, WebP or HEIC, at most 10 MB.
    /// - Returns: the link to the picture as others see it, without the position where it was taken.
    public func uploadProfilePicture(_ picture: URL, key: String? = nil, progress: ProgressHandler? = nil) async throws -> String {
        var form = MultipartForm()
        form.files = [.init(name: "file", fileName: picture.lastPathComponent, content: .file(picture))]
        return try await client.send(
            MediaEndpoints.profilePicture, .init(key: key, progress: ProgressReport(progress)), form: form
        ) { OwnerPath(userId: $0) }.imageUrl
    }

    /// The loudness of a recording over its duration.
    public func waveform(_ fileId: String) async throws -> Waveform {
        try await client.send(MediaEndpoints.waveform) { WaveformInput(userId: $0, fileId: fileId) }
    }

    public func delete(_ id: String) async throws {
        _ = try await client.send(MediaEndpoints.delete) { EntryPath(userId: $0, id: id) }
    }
}

extension MultipartForm {
    static func upload(_ files: [URL], _ labels: MediaLibrary.Labels) -> MultipartForm {
        var form = MultipartForm()
        form.add("title", labels.title)
        form.add("description", labels.description)
        form.add("category", labels.category)
        form.add("tags", labels.tags)
        form.add("groupId", labels.groupId)
        form.add("takenAt", labels.takenAt)
        form.files = files.map { File(name: "file", fileName: $0.lastPathComponent, content: .file($0)) }
        return form
    }
}
