import Blobs
import Core
import Foundation
import KeepsakeWire
import Logging
import MediaTools
import Synchronization
import TestKit
import TestThreads
import Testing

@testable import FeatureTestKit
@testable import Media
@testable import keepsake

@Suite("On whose behalf copies are stored", .blocksThreads)
struct CopyRequesterTests {
    @Test("copies that were sent from memory are stored as the server's own work, not as that of whoever requested the first one")
    func server() async throws {
        try await TestServer.run(.embedded) { server in
            let ada = try await server.person()
            let answer = try await server.upload(.file("photo.jpg", try Fixture.data("photo.jpg")), as: ada)
            let file = try answer.decode(UploadResponse.self).files[0].data
            let store = server.backend.media.store
            let photo = try #require(try await store.asset(file.fileId, owner: ada.id))
            let blobs = NotingStore(server.backend.blobs)
            let logger = Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }
            let storage = CopyStorage(store: store, blobs: blobs, logger: logger)
            let copies = VariantMaker(
                store: store, blobs: blobs, files: BlobFiles(folder: server.folder + "/copies"), workers: server.backend.workers,
                storage: storage)
            let spec = try #require(try VariantSpec(FileInput(userId: ada.id, fileId: "a", w: 64, format: "jpeg"), accept: nil))
            let owner = Requester(account: ada.id, network: Network(ipv4: 1))
            let thumbnail = try await owner.run { try await copies.variant(of: photo, .smaller(spec)) }
            if case .kept = thumbnail { Issue.record("the thumbnail was not sent from memory") }
            await storage.close()
            #expect(blobs.requesters == [.server])
        }
    }
}

/// Notes the requesters for whom blobs are written.
private final class NotingStore: BlobStoreDecorator {
    let base: any BlobStore
    private let noted = Mutex<[Requester]>([])

    init(_ base: any BlobStore) { self.base = base }

    var requesters: [Requester] { noted.withLock { $0 } }

    func stage(isResumable: Bool) async throws -> any BlobWriter {
        noted.withLock { $0.append(.current) }
        return try await base.stage(isResumable: isResumable)
    }
}
