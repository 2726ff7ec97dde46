import Core
import Foundation
import KeepsakeWire
import TestKit
import TestThreads
import Testing

@testable import FeatureTestKit
@testable import HTTPServer
@testable import keepsake

@Suite("Uploads for which the memory budget has no room", .blocksThreads)
struct SmallWriteTests {
    /// After the 48 KiB that an upload counts from its start, about 10 KB are left.
    private static func littleMemory(_ settings: inout Settings) {
        settings.channelLimits.bodyBytes = SharedBudget.Limits(total: 60_000, perAccount: 60_000, perNetwork: 60_000)
    }

    @Test("an upload is stored whole, and what has arrived is in a file before the upload ends", arguments: StoragePair.allCases)
    func upload(_ pair: StoragePair) async throws {
        try await TestServer.run(pair, Self.littleMemory) { server in
            let ada = try await server.person()
            let photo = try Fixture.data("photo.jpg")
            let body = MultipartBody.file("a.jpg", photo)
            let connection = try RawConnection(port: server.port)
            let head = [
                "POST /api/users/user/\(ada.id)/multimedia/swift HTTP/1.1", "Host: localhost", "\(ada.bearer.0): \(ada.bearer.1)",
                "Content-Type: \(body.contentType)", "Content-Length: \(body.data.count)", "", "",
            ]
            try connection.send(head.joined(separator: "\r\n"))
            try connection.send(body.data.prefix(12_000))
            try await Task.sleep(for: .milliseconds(50))
            try connection.send(body.data.dropFirst(12_000).prefix(15_000))
            if pair == .embedded {
                let folder = URL(filePath: server.folder).appending(path: "blobs/tmp")
                try await eventually {
                    let names = try FileManager.default.contentsOfDirectory(atPath: folder.path)
                    let sizes = try names.map {
                        try FileManager.default.attributesOfItem(atPath: folder.path + "/" + $0)[.size] as? Int ?? 0
                    }
                    return sizes.contains { $0 > 20_000 }
                }
            }
            try connection.send(body.data.dropFirst(27_000))
            let answer = try connection.answer()
            #expect(answer.status == 200)
            let stored = try JSONDecoder().decode(UploadResponse.self, from: Data(answer.body))
            let file = try #require(stored.files.first)
            #expect(try await server.send("GET", file.data.url).body == photo)
        }
    }
}
