import ArgumentParser
import Foundation
import KeepsakeWire
import TestKit
import TestThreads
import Testing

@testable import FeatureTestKit
@testable import Media
@testable import keepsake

@Suite("Sizes of general uploads that the operator allows", .blocksThreads)
struct UploadLimitTests {
    private static let megabyte = 1_048_576

    private static func run(
        _ flags: [String], _ pair: StoragePair = .embedded, _ test: @Sendable (TestServer) async throws -> Void
    ) async throws {
        let settings = try await Settings.read(Serve.parse(flags).options, environment: [:])
        try await TestServer.run(pair, { $0.uploads = settings.uploads }, test)
    }

    @Test(
        "a file of exactly the configured size is accepted in the library and in moments; one byte more is 413 and names the limit",
        arguments: [(2, StoragePair.embedded), (2, StoragePair.shared), (51, StoragePair.embedded)])
    func files(_ megabytes: Int, _ pair: StoragePair) async throws {
        try await Self.run(["--max-file-mb", "\(megabytes)"], pair) { server in
            let ada = try await server.person()
            let film = Film.bytes(megabytes * Self.megabyte)
            let larger = Film.bytes(megabytes * Self.megabyte + 1)
            // Uploads of moments are tested only with the small limit, because large files take long. The large limit is the smallest one
            // above the default.
            for path in ["multimedia/swift"] + (megabytes == 2 ? ["moods/swift", "memories/swift", "events/swift"] : []) {
                func upload(_ film: Data) async throws -> TestServer.Answer {
                    var body = MultipartBody()
                    body.add("file", fileName: "a.mp4", film)
                    for (name, value) in [("mood", "calm"), ("title", "A film"), ("date", "2026-11-20T10:30:00Z")] { body.add(name, value) }
                    body.close()
                    return try await server.upload(body, to: server.moments(ada, path), as: ada)
                }
                let kept = try await upload(film)
                #expect(kept.status == 200, "\(path): \(kept.text)")
                let refused = try await upload(larger)
                #expect(refused.status == 413, "\(path): \(refused.text)")
                #expect(refused.text.contains("larger than \(megabytes) MB"), "\(path): \(refused.text)")
                // The same bytes of one owner are stored once.
                #expect(try await server.storedFileCount() == 1)
            }
        }
    }

    @Test("a request of exactly the configured size is accepted; one byte more is 413, announced or not", arguments: StoragePair.allCases)
    func requests(_ pair: StoragePair) async throws {
        try await Self.run(["--max-file-mb", "2", "--max-request-mb", "3"], pair) { server in
            let ada = try await server.person()
            func body(of byteCount: Int) -> MultipartBody {
                func twoFilms(_ second: Int) -> MultipartBody {
                    var body = MultipartBody(boundary: "b")
                    for (name, size) in [("a.mp4", 2 * Self.megabyte), ("b.mp4", second)] {
                        body.add("file", fileName: name, Film.bytes(size))
                    }
                    body.close()
                    return body
                }
                return twoFilms(byteCount - twoFilms(1_000).data.count + 1_000)
            }
            let most = try await server.upload(body(of: 3 * Self.megabyte), as: ada)
            #expect(most.status == 200, "\(most.text)")
            let more = body(of: 3 * Self.megabyte + 1)
            let refused = try await server.upload(more, as: ada)
            #expect(refused.status == 413 && refused.text.contains("larger than 3 MB"), "\(refused.text)")
            let connection = try RawConnection(port: server.port)
            try connection.send(
                "POST /api/users/user/\(ada.id)/multimedia/swift HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer \(ada.token)\r\n"
                    + "Content-Type: \(more.contentType)\r\nTransfer-Encoding: chunked\r\n\r\n\(String(more.data.count, radix: 16))\r\n")
            try connection.send(more.data)
            #expect(try connection.answer().status == 413)
            #expect(try await server.storedFileCount() == 2)
            _ = try await server.checkedUsage(of: ada)
        }
    }

    @Test("the limits of other uploads stay as they are")
    func others() async throws {
        try await Self.run(["--max-file-mb", "1", "--max-request-mb", "2"]) { server in
            let ada = try await server.person()
            // Any bytes may follow the end of a JPEG.
            let photo = try Fixture.data("photo.jpg") + Data(count: 3 * Self.megabyte)
            for path in ["/api/users/user/\(ada.id)/profile-picture/swift", "/upload/2026-a"] {
                let answer = try await server.upload(.file("a.jpg", photo), to: path, as: ada)
                #expect(answer.status == 200, "\(path): \(answer.text)")
            }
            #expect(try await server.upload(.file("a.jpg", photo), as: ada).status == 413)
        }
    }

    @Test("a picture of more than 128 MB is examined and has smaller copies if the operator allows its size")
    func largePicture() async throws {
        try await Self.run(["--max-file-mb", "512"]) { server in
            let ada = try await server.person()
            let photo = try Fixture.data("photo.jpg") + Data(count: 129 * Self.megabyte)
            let answer = try await server.upload(.file("a.jpg", photo), as: ada)
            try #require(answer.status == 200, "\(answer.text)")
            let file = try answer.decode(UploadResponse.self).files[0].data
            #expect(file.width ?? 0 > 0)
            let copy = try await server.send(
                "GET", "/api/users/user/\(ada.id)/multimedia/files/\(file.fileId)?w=64&format=webp", as: ada)
            #expect(copy.status == 200, "\(copy.text.prefix(200))")
        }
    }

    @Test("flags and variables set the sizes; a wrong value, or a request smaller than a file, names its setting")
    func settings() async throws {
        func read(_ flags: [String], _ environment: [String: String] = [:]) async throws -> GeneralUploadLimits {
            try await Settings.read(Serve.parse(flags).options, environment: environment).uploads
        }
        let usual = try await read([])
        #expect(usual.fileByteCount == 52_428_800 && usual.requestByteCount == nil)
        let given = try await read(["--max-file-mb", "512"], ["KEEPSAKE_MAX_FILE_MB": "3", "KEEPSAKE_MAX_REQUEST_MB": "6144"])
        #expect(given.fileByteCount == 536_870_912 && given.requestByteCount == 6_442_450_944)
        for (file, request, name) in [
            ("0", nil, "KEEPSAKE_MAX_FILE_MB"), ("513", nil, "KEEPSAKE_MAX_FILE_MB"), ("1.5", nil, "KEEPSAKE_MAX_FILE_MB"),
            ("", nil, "KEEPSAKE_MAX_FILE_MB"), (nil, "1", "KEEPSAKE_MAX_REQUEST_MB"), (nil, "6145", "KEEPSAKE_MAX_REQUEST_MB"),
            (nil, "lots", "KEEPSAKE_MAX_REQUEST_MB"), (nil, "50", "KEEPSAKE_MAX_REQUEST_MB"), ("80", "60", "KEEPSAKE_MAX_REQUEST_MB"),
        ] as [(String?, String?, String)] {
            let environment = ["KEEPSAKE_MAX_FILE_MB": file, "KEEPSAKE_MAX_REQUEST_MB": request].compactMapValues { $0 }
            let error = await #expect(throws: Settings.Wrong.self) { try await read([], environment) }
            #expect(error?.description.hasPrefix(name) == true, "\(error?.description ?? "")")
        }
    }
}
