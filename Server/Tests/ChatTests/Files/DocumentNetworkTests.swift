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
            let reader = DocumentReader(workers: workers, tool: tool)
            let texts = ChatFileTexts(
                store: server.chatFiles(), documents: reader, pictures: PictureTextReader(workers: workers, tool: tool), blobs: blobs,
                files: BlobFiles(folder: folder.path + "/copies"), jobTime: .seconds(20))
            // Other accounts of the network hold all of its turns. One turn is left for other networks.
            let network = Network(ipv4: 1)
            let (begunCount, mayEnd) = (Guarded(0), Guarded(false))
            let others = (1...3).map { number in
                Task {
                    try await reader.text(
                        of: .text, for: Requester(account: "\(number)", network: network), timeout: .seconds(20)
                    ) { _ in
                        begunCount.withLock { $0 += 1 }
                        while !mayEnd.value { try await Task.sleep(for: .milliseconds(5)) }
                        return nil
                    }
                }
            }
            try await eventually { begunCount.value == 3 }
            let upload = Requester(account: ada.id, network: network).run {
                Task { try await texts.readWithinRequest(key, .text, owner: ada.id) }
            }
            try await eventually { reader.waiting == 1 }
            // This request has no network, as in a job, so it takes the turn that is left.
            let other = try await texts.readWithinRequest(key, .text, owner: "ben")
            mayEnd.withLock { $0 = true }
            #expect(other == .text("The lighthouse"))
            #expect(try await upload.value == .text("The lighthouse"))
            for task in others { #expect(try await task.value == nil) }
        }
    }
}
