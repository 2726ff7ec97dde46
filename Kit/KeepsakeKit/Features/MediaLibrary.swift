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

        public init(
            title: String? = nil, description: String? = nil, category: String? = nil, tags: [String] = [], groupId: String? = nil
        ) {
            self.title = title
            self.description = description
            self.category = category
            self.tags = tags
            self.groupId = groupId
        }
    }

    /// Uploads 1…10 files, each at most 50 MB, from the disk.
    /// - Parameter key: as in `Keepsake.send`.
    public func upload(
        _ files: [URL], labels: Labels = Labels(), key: String? = nil, progress: ProgressHandler? = nil
    ) async throws -> UploadResponse {
        let (form, options) = (MultipartForm.upload(files, labels), Client.Options(key: key, progress: ProgressReport(progress)))
        return try await client.send(MediaEndpoints.upload, options, form: form) { OwnerPath(userId: $0) }
    }

    /// Newest first.
    public func list(category: String? = nil, groupId: String? = nil, tag: String? = nil, limit: Int? = nil) -> Pages<MediaItem> {
        Pages { [client] cursor in
            let page = try await client.send(MediaEndpoints.list) {
                ListEntriesInput(userId: $0, limit: limit, cursor: cursor, category: category, groupId: groupId, tag: tag)
            }
            return Pages.Page(items: page.files, nextCursor: page.pagination.nextCursor)
        }
    }

    public func get(_ id: String) async throws -> MediaItem {
        try await client.send(MediaEndpoints.get) { EntryPath(userId: $0, id: id) }.file
    }

    public func delete(_ id: String) async throws {
        _ = try await client.send(MediaEndpoints.delete) { EntryPath(userId: $0, id: id) }
    }

    /// Downloads a file of the library. It appears at `destination` when it is complete.
    public func download(_ fileId: String, to destination: URL, progress: ProgressHandler? = nil) async throws {
        try await client.download(MediaEndpoints.file, to: destination, .init(progress: ProgressReport(progress))) {
            FileInput(userId: $0, fileId: fileId)
        }
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
        form.files = files.map { File(name: "file", fileName: $0.lastPathComponent, content: .file($0)) }
        return form
    }
}
