import Blobs
import Core
import Foundation
import Intelligence
import MediaTools
import TestKit
import TestThreads
import Testing

@testable import Chat
@testable import FeatureTestKit
@testable import Media
@testable import keepsake

@Suite("Documents in an object store", .blocksThreads)
struct RemoteDocumentTests {
    @Test("a document is copied as long work, so it is read while all other copies are in use")
    func longWork() async throws {
        try await TestServer.run(StoragePair.shared) { server in
            let ada = try await server.person()
            let answer = try await server.chatUpload("letter.txt", Data("The lighthouse".utf8), as: ada)
            let id = try answer.decode(DocumentedUploadedFile.self).fileID
            let key = try #require(try await server.backend.media.library.blob(id, owner: ada.id))
            let (blobs, workers) = (server.backend.blobs, server.backend.workers)
            let tool = SandboxedTool(server.backend.settings.mediaWorker)
            let folder = try TemporaryFolder()
            var limits = BlobFiles.Limits()
            limits.copies.permits = 1
            let files = BlobFiles(folder: folder.path + "/copies", limits: limits)
            let texts = ChatFileTexts(
                store: server.chatFiles(), documents: DocumentReader(workers: workers, tool: tool),
                pictures: PictureTextReader(workers: workers, tool: tool), blobs: blobs, files: files, jobTime: .seconds(20))
            let outcome = try await files.withFile(of: key, in: blobs) { _ in
                try await texts.readWithinRequest(key, .text, owner: ada.id)
            }
            #expect(outcome == .text("The lighthouse"))
        }
    }
}
