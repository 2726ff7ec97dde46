import Blobs
import Core
import Database
import FeatureKit
import Intelligence
import Jobs
import KeepsakeWire
import Logging
import Media
import MediaFrames
import MediaTools
import ServiceLifecycle
import Web

#if canImport(Glibc)
    import Glibc
#elseif canImport(Darwin)
    import Darwin
#endif

/// The part of `ChatFeature` for attached files. `ChatFeature` calls members such as `addRoutes` and `settings` in its own members of the
/// same names.
struct ChatFiles: Sendable {
    let store: ChatFileStore
    private let texts: ChatFileTexts
    private let documents: DocumentReader
    private let workers: MediaWorkers
    private let gate: UploadGate
    private let served: LibraryFiles
    private let files: BlobFiles
    private let logger: Logger

    /// - Parameters:
    ///   - served: serves files of the library.
    ///   - pictureText: reads the text in pictures.
    ///   - tool: runs the programs that read PDF and Word documents.
    init(
        _ context: FeatureContext, library: MediaLibrary, served: LibraryFiles, workers: MediaWorkers, files: BlobFiles,
        pictureText: PictureTextReader, tool: SandboxedTool
    ) {
        store = ChatFileStore(database: context.database, library: library, jobs: context.jobs, clock: context.clock)
        documents = DocumentReader(workers: workers, tool: tool)
        texts = ChatFileTexts(
            store: store, documents: documents, pictures: pictureText, blobs: context.blobs, files: files,
            jobTime: .seconds(context.settings[Self.documentSeconds]))
        self.workers = workers
        self.served = served
        self.files = files
        gate = context.gate
        logger = context.logger
    }

    // MARK: What the feature contributes

    static let migrations = ChatFileMigrations.all

    static let documentSeconds = FeatureSetting(
        "document_seconds", default: 20, in: 1...120,
        help: "Time limit for reading a PDF or Word document of a chat in the background, in seconds, 1 to 120")
    static let settings: [any FeatureSettingReader] = [documentSeconds]

    static let personalTables = [
        PersonalTable(
            "chat_file", owner: .column("owner"), order: ["created_at", "id"],
            columns: [
                .plain("id"), .plain("name"), .plain("type"), .plain("byte_count"), .plain("width"), .plain("height"),
                .plain("text_state"), .plain("endpoint"), .plain("tool_resource"), .time("created_at"), .time("sent_at"),
                .plain("row_bytes"), .plain("text"), .withheld("owner"),
            ],
            ending: .cascade(from: "media"))
    ]

    static let fileUses = [FileUse { file, owner, tx in try ChatFileStore.drop(file, owner: owner, tx) }]

    func addRoutes(to routes: Routes) {
        routes.serve(upload: ChatFileEndpoints.upload, UploadChatFile(store: store, texts: texts, gate: gate).handle)
        routes.serve(
            file: ChatFileEndpoints.serveImage, ServeChatFile(store: store, files: served, isForImages: true).handle)
        routes.serve(
            file: ChatFileEndpoints.serveUpload, ServeChatFile(store: store, files: served, isForImages: false).handle)
        routes.serve(ChatFileEndpoints.delete, DeleteChatFile(store: store).handle)
    }

    var patientJobs: [JobHandler] {
        [JobHandler(ReadChatFile.self, most: ReadChatFile.most, whenParked: texts.whenParked, texts.run)]
    }

    var services: [any Service] {
        [
            Upkeep("files that no message has sent", every: .minutes(10), logger: logger) { [store] in try await store.sweep() },
            Upkeep("texts of files", every: .minutes(10), logger: logger) { [store] in try await store.resumeReading() },
        ]
    }

    var examinations: [Examination] {
        [Examination(name: "documents") { [documents] in try await documents.probe() }]
    }

    // MARK: For the rest of the feature

    /// The files that exist and belong to the owner, in the order of `ids`, without duplicates.
    func find(_ ids: [String], owner: String, _ tx: ReadTransaction) throws -> [ChatFile] { try store.find(ids, owner: owner, tx) }

    /// Marks the files as sent in a message; files that are not sent are deleted after 7 days. Call it in the write that stores the
    /// message.
    /// - Throws: `noSuchChatFile` when one of them does not exist any more.
    func markSent(_ ids: [String], owner: String, at time: Timestamp, _ tx: WriteTransaction) throws {
        try store.markSent(ids, owner: owner, at: time, tx)
    }

    /// Deletes files with their bytes. Skips ids that do not exist or belong to another account.
    func erase(_ ids: [String], owner: String, _ tx: WriteTransaction) throws {
        let files = try store.find(ids, owner: owner, tx)
        // The files are deleted in a fixed order, so that two writes that delete the same files do not deadlock.
        try store.library.erase(files.map(\.id).sorted(), owner: owner, tx)
    }

    /// The file's text, at most `limit` characters; `nil` when there is none, or it is not read yet.
    func text(_ id: String, owner: String, limit: Int) async throws -> String? {
        try await store.text(id, owner: owner).map { String($0.prefix(limit)) }
    }

    /// Waits until jobs have read the texts of these files, or the time is up.
    /// - Parameter time: the longest wait.
    /// - Throws: `CancellationError`.
    func waitForText(_ ids: [String], owner: String, atMost time: Duration) async throws {
        let deadline = ContinuousClock.Instant.now + time
        // The pauses become longer, because very many answers may wait at the same time.
        var pause = Duration.milliseconds(200)
        while try await store.isAnyPending(ids, owner: owner) {
            let left = ContinuousClock.Instant.now.duration(to: deadline)
            guard left > .zero else { return }
            try await Task.sleep(for: min(pause, left))
            pause = min(pause * 2, .seconds(1))
        }
    }

    /// The content type of what `picture` returns.
    static let pictureType = "image/jpeg"

    /// A picture in the form that the server sends to outside models: JPEG, no side longer than 2,048 pixels, without metadata.
    /// - Returns: `nil` when there is no such picture, or it cannot be decoded.
    /// - Throws: `Problem` when too many pictures wait; `CancellationError`.
    func picture(_ id: String, owner: String) async throws -> [UInt8]? {
        guard let file = try await store.file(id, owner: owner), file.isImage, let key = try await store.library.blob(id, owner: owner)
        else { return nil }
        let request = VariantRequest(width: 2_048, height: 2_048, format: .jpeg, quality: 85)
        do {
            let pixelCount = (file.width ?? 0) * (file.height ?? 0)
            let stored = OwnedFile(owner: owner, name: key.text)
            let isLong = MediaWorkers.isLong(request.format, pixelCount: pixelCount) || workers.copiesAreLong(of: stored)
            let copy = try await files.withFile(of: key, in: gate.store, isLong: isLong, for: owner) { descriptor in
                try await workers.variant(descriptor, request, pixelCount: pixelCount, of: stored)
            }
            return try copy.bytes
        } catch is MediaFailure {
            return nil
        }
    }
}
