public import Foundation
public import KeepsakeWire

/// Voice recordings with transcripts.
public struct Capsules: Sendable {
    let client: Client

    /// Creates a capsule, uploads its recording and completes it.
    /// - Parameters:
    ///   - duration: seconds; the server measures it again.
    ///   - key: 1…249 visible ASCII characters; by default a new one. The upload of the recording uses this key with `-audio` appended.
    public func create(
        _ recording: URL, duration: Double, createdAt: Date? = nil, key: String? = nil, progress: ProgressHandler? = nil
    ) async throws -> Capsule {
        let key = key ?? client.randomness.id()
        let id = try await client.session.currentID()
        let size = try recording.resourceValues(forKeys: [.fileSizeKey]).fileSize ?? 0
        let created = try await client.send(CapsuleEndpoints.create, .init(key: key, sessionID: id)) { _ in
            CreateCapsuleInput(
                duration: duration, fileSize: Int64(size), createdAt: createdAt.map { WireDate.format($0, .microseconds) })
        }
        var form = MultipartForm()
        form.files = [.init(name: "audio", fileName: recording.lastPathComponent, type: "audio/wav", content: .file(recording))]
        let capsule = created.capsule.id
        _ = try await client.send(
            CapsuleEndpoints.uploadAudio, .init(key: key + "-audio", progress: ProgressReport(progress), sessionID: id), form: form
        ) { _ in CapsulePath(id: capsule) }
        // Repeating this step does no harm: the status only moves forward.
        return try await client.send(CapsuleEndpoints.complete, .init(sessionID: id, repeats: true)) { _ in
            CompleteCapsuleInput(id: capsule, status: "processing")
        }
    }

    /// The account's capsules, newest first.
    /// - Parameter limit: the most items on a page, 1…100; 20 by default.
    public func list(limit: Int? = nil) -> Pages<Capsule> {
        Pages { [client] cursor in
            let page = try await client.send(CapsuleEndpoints.list) { _ in ListCapsulesInput(limit: limit, cursor: cursor) }
            return Pages.Page(items: page.capsules, nextCursor: page.nextCursor)
        }
    }

    public func get(_ id: String) async throws -> Capsule {
        try await client.send(CapsuleEndpoints.get) { _ in CapsulePath(id: id) }
    }

    public func transcription(_ id: String) async throws -> CapsuleTranscription {
        try await client.send(CapsuleEndpoints.transcription) { _ in CapsulePath(id: id) }
    }

    public func delete(_ id: String) async throws {
        _ = try await client.send(CapsuleEndpoints.delete) { _ in CapsulePath(id: id) }
    }
}
