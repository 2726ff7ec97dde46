public import Foundation
public import KeepsakeWire

/// Photos, films and sounds.
public struct MediaLibrary: Sendable {
    let client: Client

    public struct Labels: Sendable {
        public var title: String?
        public var description: String?
        public var category: String?
        public var tags: [String]
        public var groupId: String?
        /// When all the files were taken; `nil` for the times in their metadata.
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

    /// Uploads 1…10 files from the disk. Each has at most 50 MB, unless the server's operator set another limit.
    /// - Parameter key: as in `Keepsake.send`.
    public func upload(
        _ files: [URL], labels: Labels = Labels(), key: String? = nil, progress: ProgressHandler? = nil
    ) async throws -> UploadResponse {
        let (form, options) = (MultipartForm.upload(files, labels), Client.Options(key: key, progress: ProgressReport(progress)))
        return try await client.send(MediaEndpoints.upload, options, form: form) { OwnerPath(userId: $0) }
    }

    /// In the order of the times at which the server stored the files: files of later requests first, and files of one request in the order
    /// of the request. A file must match all filters.
    ///
    /// With `type` and several of `category`, `groupId` and `tag`, a page may have fewer files than `limit`, or none, although others follow:
    /// the server reads a bounded number of files for each page. Go on until `nextCursor` is `nil`, as `for try await` does.
    /// - Parameters:
    ///   - from: only files stored then or later: a `Date`, or a `CalendarDay` in the account's time zone.
    ///   - to: only files stored before this `Date`, or until the end of this `CalendarDay`. The server refuses one that is not after
    ///     `from` with 400.
    ///   - type: `image`, `video` or `audio`.
    ///   - isAscending: the oldest first, which is exactly the reverse order, also among the files of one request.
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

    /// The files with these bytes, newest first: for apps that do not upload a file again.
    /// - Parameter sha256: 64 hexadecimal digits, which `sha256(of:)` computes from a file.
    public func list(sha256: String) -> Pages<MediaItem> { list(ListMediaInput(userId: "", sha256: sha256)) }

    /// In the order of the times at which the files were taken or, where that is not known, stored. The latest comes first. A file must
    /// match all filters.
    ///
    /// With several of `category`, `groupId` and `tag`, a page may have fewer files than `limit`, or none, although others follow: the server
    /// reads a bounded number of files for each page. Go on until `nextCursor` is `nil`, as `for try await` does.
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

    /// Labels that stay `.unchanged` keep their value.
    public func update(
        _ id: String, title: Change<String> = .unchanged, description: Change<String> = .unchanged,
        category: Change<String> = .unchanged, tags: Change<[String]> = .unchanged, groupId: Change<String> = .unchanged,
        takenAt: Change<Date> = .unchanged
    ) async throws -> MediaItem {
        let takenAt: Change<Double> =
            switch takenAt {
            case .unchanged: .unchanged
            case .clear: .clear
            // Send seconds: the server would read the milliseconds of a time before 1973 as seconds.
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
    /// - Returns: the picture's link, which leads to the picture as others see it: without a position.
    public func uploadProfilePicture(_ picture: URL, key: String? = nil, progress: ProgressHandler? = nil) async throws -> String {
        var form = MultipartForm()
        form.files = [.init(name: "file", fileName: picture.lastPathComponent, content: .file(picture))]
        return try await client.send(
            MediaEndpoints.profilePicture, .init(key: key, progress: ProgressReport(progress)), form: form
        ) { OwnerPath(userId: $0) }.imageUrl
    }

    /// The loudness of a sound over its duration.
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
