import HTTPTypes

/// Surface 0: uploads and the media library.
public enum MediaEndpoints {
    public static let upload = CreationEndpoint<OwnerPath, UploadResponse>(
        .post, "/api/users/user/{userId}/multimedia/swift", surface: .multimedia, body: .multipart)
    public static let profilePicture = CreationEndpoint<OwnerPath, ProfilePictureResponse>(
        .post, "/api/users/user/{userId}/profile-picture/swift", surface: .multimedia, body: .multipart)
    public static let list = Endpoint<ListMediaInput, MediaListResponse>(
        .get, "/api/users/user/{userId}/multimedia", surface: .multimedia)
    public static let get = Endpoint<EntryPath, MediaResponse>(
        .get, "/api/users/user/{userId}/multimedia/{id}", surface: .multimedia)
    public static let update = Endpoint<UpdateMediaInput, MediaResponse>(
        .patch, "/api/users/user/{userId}/multimedia/{id}", surface: .multimedia, body: .json(maxByteCount: 65_536))
    public static let delete = Endpoint<EntryPath, SuccessResponse>(
        .delete, "/api/users/user/{userId}/multimedia/{id}", surface: .multimedia)
    public static let waveform = Endpoint<WaveformInput, Waveform>(
        .get, "/api/users/user/{userId}/multimedia/files/{fileId}/waveform", surface: .multimedia)
    public static let file = Endpoint<FileInput, FileContent>(
        .get, "/api/users/user/{userId}/multimedia/files/{fileId}", surface: .multimedia, access: .signedInOrLink)
    /// Creates a link to an archive of selected files.
    public static let createArchive = Endpoint<MediaArchiveInput, MediaArchiveResponse>(
        .post, "/api/users/user/{userId}/multimedia/archives", surface: .multimedia, body: .json(maxByteCount: 131_072))
    public static let archive = Endpoint<MediaArchivePath, FileContent>(
        .get, "/api/users/user/{userId}/multimedia/archives/{archiveId}", surface: .multimedia, access: .signedInOrLink)
    /// A picture as others see it: without its metadata, if the metadata contains a position.
    public static let sharedFile = Endpoint<FileInput, FileContent>(
        .get, "/api/users/user/{userId}/multimedia/shared/{fileId}", surface: .multimedia, access: .signedInOrLink)
}

/// Without parameters, the response is the original. With any of `w`, `h`, `fit`, `format` and `q`, it is a smaller copy of a picture or of
/// a film's first frame: upright, sRGB, without metadata, never larger than the original. With `play`, it is a film that browsers play.
public struct FileInput: Codable, Sendable {
    public var userId: String
    public var fileId: String
    /// Pixels, 1…2048. The server rounds up to 64, 128, 256, 384, 512, 768, 1024, 1536 or 2048.
    public var w: Int?
    /// Pixels, as for `w`. A copy needs at least one of `w` and `h`; `cover` needs both.
    public var h: Int?
    /// With `contain`, the default, the whole picture fits into the box. With `cover`, the center of the picture fills the box.
    public var fit: String?
    /// `jpeg`, `webp`, `avif`, or `auto`, the default: WebP if the request's `Accept` names WebP, else JPEG.
    public var format: String?
    /// Quality, 1…100; default 80. The server rounds up to 50, 65, 80 or 95.
    public var q: Int?
    /// With 1, the response is the original if browsers play it, else a copy in H.264 and AAC. Cannot be combined with the other
    /// parameters.
    public var play: Int?

    public init(
        userId: String, fileId: String, w: Int? = nil, h: Int? = nil, fit: String? = nil, format: String? = nil, q: Int? = nil,
        play: Int? = nil
    ) {
        self.userId = userId
        self.fileId = fileId
        self.w = w
        self.h = h
        self.fit = fit
        self.format = format
        self.q = q
        self.play = play
    }
}

/// Which files of the library a list shows, and in which order.
public struct ListMediaInput: Codable, Sendable {
    public var userId: String
    /// 1…100, default 20.
    public var limit: Int?
    /// `nextCursor` of the previous page.
    public var cursor: String?
    public var category: String?
    public var groupId: String?
    public var tag: String?
    /// `createdAt` (the default) or `takenAt`: when the file was taken or, if unknown, stored. With `takenAt` or `type`, and several of
    /// `category`, `groupId` and `tag`, a page can have fewer files than `limit`, or none: request pages until `nextCursor` is `null`.
    public var sort: String?
    /// `desc`, the default, lists the latest first. `asc` reverses the order, also among the files of one request.
    public var order: String?
    /// The beginning of the range: a day or ISO 8601; inclusive. The server compares it with the time that `sort` names.
    public var from: String?
    /// The end of the range: ISO 8601, exclusive, or a day (`2026-12-31`), which is included as a whole.
    public var to: String?
    /// `image`, `video` or `audio`.
    public var type: String?
    /// Lists only files with this SHA-256: 64 hexadecimal digits. Can be combined only with `from`, `to` and `order`.
    public var sha256: String?

    public init(
        userId: String, limit: Int? = nil, cursor: String? = nil, category: String? = nil, groupId: String? = nil, tag: String? = nil,
        sort: String? = nil, order: String? = nil, from: String? = nil, to: String? = nil, type: String? = nil, sha256: String? = nil
    ) {
        self.userId = userId
        self.limit = limit
        self.cursor = cursor
        self.category = category
        self.groupId = groupId
        self.tag = tag
        self.sort = sort
        self.order = order
        self.from = from
        self.to = to
        self.type = type
        self.sha256 = sha256
    }
}

/// The files for an archive.
public struct MediaArchiveInput: Codable, Sendable {
    public var userId: String
    /// 1…1,000 files of the library; repetitions count once.
    public var fileIds: [String]

    public init(userId: String, fileIds: [String]) {
        self.userId = userId
        self.fileIds = fileIds
    }
}

public struct MediaArchivePath: Codable, Sendable {
    public var userId: String
    public var archiveId: String

    public init(userId: String, archiveId: String) {
        self.userId = userId
        self.archiveId = archiveId
    }
}

/// A link to an archive. The server builds the archive while it sends it.
public struct MediaArchiveResponse: Codable, Sendable, Equatable {
    public var success: Bool
    public var archiveId: String
    /// An absolute, signed URL, so that a browser can download the archive.
    public var url: String
    /// The number of files.
    public var count: Int
    /// Bytes of all files together. The archive itself has about 150 bytes more for each file.
    public var size: Int
    /// When the link expires, in milliseconds since 1970.
    public var expiresAt: Int

    public init(archiveId: String, url: String, count: Int, size: Int, expiresAt: Int) {
        success = true
        self.archiveId = archiveId
        self.url = url
        self.count = count
        self.size = size
        self.expiresAt = expiresAt
    }
}

public struct WaveformInput: Codable, Sendable {
    public var userId: String
    public var fileId: String

    public init(userId: String, fileId: String) {
        self.userId = userId
        self.fileId = fileId
    }
}

/// The loudness of an audio file over its duration.
public struct Waveform: Codable, Sendable, Equatable {
    /// 200 values from 0 to 1 (full scale). Each is the peak of a 200th of the audio. There are fewer values if the audio has fewer than
    /// 200 samples.
    public var peaks: [Double]

    public init(peaks: [Double]) { self.peaks = peaks }
}

public struct UpdateMediaInput: Codable, Sendable {
    public var userId: String
    public var id: String
    public var title: Change<String>
    public var description: Change<String>
    public var category: Change<String>
    public var tags: Change<[String]>
    public var groupId: Change<String>
    /// Seconds (as `Date.timeIntervalSince1970`) or milliseconds since 1970; an absolute value below 10¹¹ means seconds.
    public var takenAt: Change<Double>

    public init(
        userId: String, id: String, title: Change<String> = .unchanged, description: Change<String> = .unchanged,
        category: Change<String> = .unchanged, tags: Change<[String]> = .unchanged, groupId: Change<String> = .unchanged,
        takenAt: Change<Double> = .unchanged
    ) {
        self.userId = userId
        self.id = id
        self.title = title
        self.description = description
        self.category = category
        self.tags = tags
        self.groupId = groupId
        self.takenAt = takenAt
    }
}

public struct UploadResponse: Codable, Sendable, Equatable {
    public var success: Bool
    public var files: [UploadedFile]
    /// One line for each refused file, such as `"b.jpg: …"`; `null` if no file was refused.
    @OrNull public var errors: [String]?
    @OrNull public var groupId: String?
    /// Number of files that were stored.
    public var count: Int
    /// The same refused files as in `errors`, in the same order, for programs; absent if no file was refused.
    public var refused: [RefusedFile]?

    public init(success: Bool = true, files: [UploadedFile], errors: [String]?, groupId: String?, refused: [RefusedFile]? = nil) {
        self.success = success
        self.files = files
        self.errors = errors
        self.groupId = groupId
        self.count = files.count
        self.refused = refused
    }
}

/// A file that the server refused: an error of surface 0, and the file of the request that it is about.
public struct RefusedFile: Codable, Sendable, Equatable {
    /// The position of the file among the files of the request, from 0.
    public var index: Int
    /// The file name that the client sent; absent if it sent none.
    public var name: String?
    /// The form field that the error is about.
    public var field: String?
    /// The title of the status in `code`.
    public var error: String
    /// What is wrong with the file.
    public var details: String
    /// The HTTP status that the response would have if the request had only this file: 413 or 422.
    public var code: Int

    public init(index: Int, name: String?, field: String?, error: String, details: String, code: Int) {
        self.index = index
        self.name = name
        self.field = field
        self.error = error
        self.details = details
        self.code = code
    }
}

public struct UploadedFile: Codable, Sendable, Equatable {
    public var data: FileData

    public init(data: FileData) { self.data = data }
}

/// A file in the response to an upload.
public struct FileData: Codable, Sendable, Equatable {
    /// An absolute, signed URL, so that an image view can load it without a credential.
    public var url: String
    /// The same as `fileId`.
    public var key: String
    /// The path of `url` without a signature, for a request with a credential.
    public var appUrl: String
    public var name: String
    /// Bytes.
    public var size: Int
    /// The media type that the server detected from the content. The type that the client declared does not matter.
    public var type: String
    public var fileId: String
    /// Pixels of the upright picture; absent for a sound.
    public var width: Int?
    /// Pixels of the upright picture; absent for a sound.
    public var height: Int?
    /// Seconds; absent for a picture.
    public var duration: Double?
    /// As in `MediaItem`. Older servers send neither this nor the following members in the response to an upload.
    public var takenAt: Int?
    public var category: String?
    public var title: String?
    public var description: String?
    public var tags: [String]?
    public var groupId: String?
    /// Milliseconds since 1970.
    public var createdAt: Int?

    public init(
        url: String, appUrl: String, name: String, size: Int, type: String, fileId: String, width: Int? = nil, height: Int? = nil,
        duration: Double? = nil, takenAt: Int? = nil, category: String? = nil, title: String? = nil, description: String? = nil,
        tags: [String]? = nil, groupId: String? = nil, createdAt: Int? = nil
    ) {
        self.takenAt = takenAt
        self.category = category
        self.title = title
        self.description = description
        self.tags = tags
        self.groupId = groupId
        self.createdAt = createdAt
        self.width = width
        self.height = height
        self.duration = duration
        self.url = url
        self.key = fileId
        self.appUrl = appUrl
        self.name = name
        self.size = size
        self.type = type
        self.fileId = fileId
    }
}

public struct ProfilePictureResponse: Codable, Sendable, Equatable {
    public var success: Bool
    public var message: String
    /// A link to the picture as others see it: without a position, and as a JPEG if it is a HEIC. `MediaItem.url` is the link to the
    /// original.
    public var imageUrl: String

    public init(imageUrl: String) {
        self.success = true
        self.message = "Profile picture updated successfully"
        self.imageUrl = imageUrl
    }
}

/// One file of the library.
public struct MediaItem: Codable, Sendable, Equatable {
    public var url: String
    public var key: String
    public var appUrl: String
    public var name: String
    public var size: Int
    public var type: String
    public var fileId: String
    /// Pixels of the upright picture; absent for a sound.
    public var width: Int?
    /// Pixels of the upright picture; absent for a sound.
    public var height: Int?
    /// Seconds; absent for a picture.
    public var duration: Double?
    /// When the picture or film was taken: milliseconds since 1970. It is the time of the camera's clock, or the time that the owner set.
    /// If the file contains no time zone, the server uses the time zone that the account had at the upload.
    public var takenAt: Int?
    public var category: String
    public var title: String?
    public var description: String?
    public var tags: [String]
    public var groupId: String?
    /// Milliseconds since 1970.
    public var createdAt: Int

    public init(
        file: FileData, takenAt: Int? = nil, category: String, title: String?, description: String?, tags: [String], groupId: String?,
        createdAt: Int
    ) {
        url = file.url
        key = file.key
        appUrl = file.appUrl
        name = file.name
        size = file.size
        type = file.type
        fileId = file.fileId
        width = file.width
        height = file.height
        duration = file.duration
        self.takenAt = takenAt
        self.category = category
        self.title = title
        self.description = description
        self.tags = tags
        self.groupId = groupId
        self.createdAt = createdAt
    }
}

extension FileData {
    /// Copies the file's properties, its time and its labels from an item of the library.
    public init(_ item: MediaItem) {
        self.init(
            url: item.url, appUrl: item.appUrl, name: item.name, size: item.size, type: item.type, fileId: item.fileId, width: item.width,
            height: item.height, duration: item.duration, takenAt: item.takenAt, category: item.category, title: item.title,
            description: item.description, tags: item.tags, groupId: item.groupId, createdAt: item.createdAt)
    }
}

public struct MediaListResponse: Codable, Sendable, Equatable {
    public var success: Bool
    public var files: [MediaItem]
    public var pagination: Pagination

    public init(files: [MediaItem], pagination: Pagination) {
        self.success = true
        self.files = files
        self.pagination = pagination
    }
}

public struct MediaResponse: Codable, Sendable, Equatable {
    public var success: Bool
    public var file: MediaItem

    public init(file: MediaItem) {
        self.success = true
        self.file = file
    }
}
