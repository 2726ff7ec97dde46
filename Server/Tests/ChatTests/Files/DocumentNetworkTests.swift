import Blobs
import Core
import Foundation
import Intelligence
import MediaFrames
import MediaTools
import TestKit
import TestThreads
import Testing

@testable import Chat
@testable import FeatureTestKit
@testable import Media
@testable import keepsake

@Suite("Documents of one network", .blocksThreads)
struct DocumentNetworkTests {
    @Test("the text of an upload is read in the turn of the account and of its network")
    func uploads() async throws {
        try await TestServer.run(StoragePair.embedded) { server in
            let ada = try await server.person()
            let answer = try await server.chatUpload("letter.txt", Data("The lighthouse".utf8), as: ada)
            let id = try answer.decode(DocumentedUploadedFile.self).fileID
            let key = try #require(try await server.backend.media.library.blob(id, owner: ada.id))
            let (blobs, workers) = (server.backend.blobs, server.backend.workers)
            let tool = SandboxedTool(server.backend.settings.mediaWorker)
            let folder = try TemporaryFolder()
            // No document loses its turn during the test.
            let reader = DocumentReader(workers: workers, tool: tool, shortTime: .seconds(600))
            let texts = ChatFileTexts(
                store: server.chatFiles(), documents: reader, pictures: PictureTextReader(workers: workers, tool: tool), blobs: blobs,
                files: BlobFiles(folder: folder.path + "/copies"), jobTime: .seconds(20))
            // Another account of the network holds its turn. The other turn is for other networks.
            let network = Network(ipv4: 1)
            let (hasBegun, mayEnd) = (Guarded(false), Guarded(false))
            let holder = Task {
                try await reader.text(
                    of: .text, for: Requester(account: "holder", network: network), from: .request, timeout: .seconds(20)
                ) { _ in
                    hasBegun.withLock { $0 = true }
                    while !mayEnd.value { try await Task.sleep(for: .milliseconds(5)) }
                    return nil
                }
            }
            try await eventually { hasBegun.value }
            let upload = Requester(account: ada.id, network: network).run {
                Task { try await texts.readWithinRequest(key, .text, owner: ada.id) }
            }
            try await eventually { reader.waiting == 1 }
            let other = try await Requester(account: "ben", network: Network(ipv4: 2)).run {
                try await texts.readWithinRequest(key, .text, owner: "ben")
            }
            mayEnd.withLock { $0 = true }
            #expect(other == .text("The lighthouse"))
            #expect(try await upload.value == .text("The lighthouse"))
            #expect(try await holder.value == nil)
        }
    }
}
