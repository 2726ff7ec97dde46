import Blobs
import Core
import HTTPTypes
import Hummingbird
import TestKit
import TestThreads
import Testing

@testable import HTTPServer
@testable import Web

@Suite("Which files are redirected", .blocksThreads)
struct RedirectedFileTests {
    /// Whether a file of this type is redirected to the object store, which adds no security policy.
    private static let types: [(type: String, isRedirected: Bool)] = [
        ("image/jpeg", true), ("image/heic", true), ("audio/mp4", true), ("audio/wav", true), ("video/mp4", true),
        ("video/quicktime", true),
        // A browser runs the scripts of an SVG.
        ("image/svg+xml", false), ("image/svg", false), ("text/html", false), ("text/plain", false), ("text/markdown", false),
        ("application/pdf", false), ("application/zip", false), ("application/octet-stream", false), ("model/vnd.usdz+zip", false),
    ]

    @Test("pictures, sounds and films are redirected; an SVG, a document and an archive are sent with the server's security policy")
    func redirected() async throws {
        let folder = try TemporaryFolder()
        let store = try await LocalBlobStore.open(folder: folder.path, removingLeftovers: true)
        let content = BlobStoreSuite.bytes(1_000)
        let blob = try await BlobStoreSuite.put(content, in: store)
        try await ChannelServer.run(
            ChannelLimits(), identity: nil,
            routes: { router in
                router.get("/files/:number") { request, context in
                    guard let number = context.parameters.get("number").flatMap({ Int($0) }), Self.types.indices.contains(number) else {
                        throw Problem(.notFound, "There is no such file.")
                    }
                    let file = ServedFile(
                        byteCount: blob.byteCount, contentType: Self.types[number].type, fileName: "a", sha256: blob.sha256,
                        modifiedAt: Timestamp(seconds: 1), presign: { _, _, _ in "https://bucket.example.org/a" }
                    ) { try await store.openShared(blob.key) }
                    return try await file.response(to: request, context)
                }
            }
        ) { server in
            let client = try RawConnection(port: server.port)
            for (number, (type, isRedirected)) in Self.types.enumerated() {
                try client.send("GET /files/\(number) HTTP/1.1\r\nHost: a\r\n\r\n")
                let answer = try client.answer()
                if isRedirected {
                    #expect(answer.status == 302 && answer.headers["location"] == "https://bucket.example.org/a", "\(type)")
                } else {
                    #expect(answer.status == 200 && answer.headers["location"] == nil && answer.body == content, "\(type)")
                    #expect(answer.headers["content-security-policy"] == "sandbox; default-src 'none'", "\(type)")
                    #expect(answer.headers["x-content-type-options"] == "nosniff", "\(type)")
                }
            }
        }
        await store.close()
    }
}
