import Foundation
import KeepsakeWire
import TestKit
import TestThreads
import Testing

@testable import FeatureTestKit
@testable import Web
@testable import keepsake

@Suite("Sessions that end during a request", .blocksThreads)
struct EndedSessionTests {
    /// A request whose last byte is sent later. A request without a body waits for an event instead.
    private struct Unfinished {
        let name: String
        let connection: RawConnection
        let last: Data

        init(
            _ name: String, _ method: String, _ path: String, _ type: String, _ body: Data, as person: TestServer.Person, _ port: Int
        ) throws {
            self.name = name
            connection = try RawConnection(port: port)
            last = body.suffix(1)
            try connection.send(
                """
                \(method) \(path) HTTP/1.1\r
                Host: localhost\r
                Authorization: Bearer \(person.token)\r
                Content-Type: \(type)\r
                Content-Length: \(body.count)\r
                \r

                """)
            try connection.send(Array(body.dropLast()))
        }

        func finish() throws -> Int {
            try connection.send(Array(last))
            return try connection.answer().status
        }
    }

    private func begin(as person: TestServer.Person, _ port: Int) throws -> [Unfinished] {
        let user = "/api/users/user/\(person.id)"
        let json = "application/json"
        var photo = MultipartBody()
        photo.add("file", fileName: "a.mp4", type: "video/mp4", Film.bytes(1_000))
        photo.close()
        return [
            try Unfinished("a body that the route does not take", "GET", "/user/me", json, Data("{}".utf8), as: person, port),
            try Unfinished("JSON", "PATCH", "/user/me", json, Data(#"{"time_zone":"Asia/Tokyo"}"#.utf8), as: person, port),
            try Unfinished("a file", "POST", "\(user)/multimedia/swift", photo.contentType, photo.data, as: person, port),
            try Unfinished("a long poll", "GET", "/events?wait=2", json, Data(), as: person, port),
        ]
    }

    @Test("a request whose body or wait takes longer than its session gets 401, and nothing of it is kept", arguments: StoragePair.allCases)
    func ended(_ pair: StoragePair) async throws {
        try await TestServer.run(pair) { server in
            let (ada, eve) = (try await server.person(), try await server.person("eve"))
            let ended = try begin(as: ada, server.port)
            let others = try begin(as: eve, server.port)
            try await Task.sleep(for: WebContext.sessionCheckPause + .milliseconds(100))
            #expect(try await server.send("POST", "/auth/signout", as: ada).status == 200)
            for request in ended { #expect(try request.finish() == 401, "\(request.name)") }
            for request in others { #expect(try request.finish() == 200, "\(request.name)") }
            let again = try await server.person()
            #expect(again.id == ada.id)
            let list = try await server.send("GET", "/api/users/user/\(ada.id)/multimedia", as: again)
            #expect(!list.text.contains("a.mp4") && list.status == 200, "\(list.text)")
            #expect(try await !server.send("GET", "/user/me", as: again).text.contains("Asia/Tokyo"))
        }
    }

    @Test("a download ends when its session has ended, or its file was deleted", arguments: StoragePair.allCases)
    func downloads(_ pair: StoragePair) async throws {
        try await TestServer.run(pair) { server in
            let ada = try await server.person()
            let byteCount = 24_000_000
            func upload(_ name: String) async throws -> (id: String, link: String) {
                let answer = try await server.upload(.file(name, Film.bytes(byteCount, isRandom: true)), as: ada)
                let file = try answer.decode(UploadResponse.self).files[0].data
                return (file.fileId, file.url.replacing(server.url, with: ""))
            }
            let (kept, deleted) = (try await upload("a.mp4"), try await upload("b.mp4"))
            func begin(_ path: String, _ header: String = "") throws -> RawConnection {
                let client = try RawConnection(port: server.port, receiveByteCount: 32_768)
                try client.send("GET \(path) HTTP/1.1\r\nHost: localhost\r\n\(header)\r\n")
                #expect(try client.head().status == 200, "\(path)")
                return client
            }
            let path = "/api/users/user/\(ada.id)/multimedia/files/\(kept.id)"
            let bySession = try begin(path, "Authorization: Bearer \(ada.token)\r\n")
            let (byLink, byLinkToDeleted) = (try begin(kept.link), try begin(deleted.link))
            #expect(try await server.send("POST", "/auth/signout", as: ada).status == 200)
            let again = try await server.person()
            let removal = try await server.send("DELETE", "/api/users/user/\(ada.id)/multimedia/\(deleted.id)", as: again)
            #expect(removal.status == 200, "\(removal.text)")
            // The server checks every four seconds.
            try await Task.sleep(for: .seconds(6))
            func received(_ client: RawConnection) -> Int {
                var count = 0
                while count < byteCount, let bytes = try? client.bytes(min(10_000, byteCount - count)) { count += bytes.count }
                return count
            }
            #expect(received(bySession) < byteCount && received(byLinkToDeleted) < byteCount)
            #expect(received(byLink) == byteCount)
        }
    }
}
