import Core
import Database
import Foundation
import KeepsakeWire
import TestKit
import TestThreads
import Testing

@testable import FeatureTestKit
@testable import keepsake

@Suite("Deleting an account during an upload", .blocksThreads)
struct DeleteDuringUploadTests {
    @Test(
        "the upload is answered 401 and leaves nothing",
        arguments: ["multimedia/swift", "moods/swift"], StoragePair.allCases)
    func uploads(_ route: String, _ pair: StoragePair) async throws {
        try await TestServer.run(pair) { server in
            let ada = try await server.person()
            var body = MultipartBody()
            body.add("mood", "happy")
            body.add("title", "at the lake")
            body.add("file", fileName: "a.jpg", try Fixture.data("baseline.jpg"))
            body.close()
            let bytes = Array(body.data)
            let head = [
                "POST /api/users/user/\(ada.id)/\(route) HTTP/1.1", "Host: 127.0.0.1", "Authorization: Bearer \(ada.token)",
                "Content-Type: \(body.contentType)", "Content-Length: \(bytes.count)", "", "",
            ]
            let connection = try RawConnection(port: server.port)
            try connection.send(head.joined(separator: "\r\n"))
            try connection.send(bytes.prefix(bytes.count / 2))
            try await Task.sleep(for: .milliseconds(100))
            #expect(try await server.send("POST", "/auth/delete", as: ada).status == 200)
            try await server.waitUntilErased(ada.id)
            try connection.send(bytes.dropFirst(bytes.count / 2))
            let answer = try connection.answer()
            #expect(answer.status == 401, "\(answer.text)")
            #expect(answer.text.contains("does not exist any more"))
            #expect(try await server.rowCounts(of: ada.id) == [:])
        }
    }
}
