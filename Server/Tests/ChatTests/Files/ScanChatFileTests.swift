import Core
import Database
import Foundation
import KeepsakeWire
import MediaTools
import Synchronization
import TestKit
import TestThreads
import Testing

@testable import Chat
@testable import FeatureTestKit
@testable import keepsake

@Suite("Infected files of a chat", .blocksThreads)
struct ScanChatFileTests {
    /// Uses the clamd that `make services` starts.
    private static func scanned(_ settings: inout Settings) { settings.clamd = ClamdAddress(ClamdService.everybodys) }

    /// EICAR's test string in a file of each type, and in files inside archives.
    private static func infected() throws -> [(name: String, data: Data)] {
        let inner = ZipBytes.docx(["words"], and: [.init("word/media/note.txt", Data(Eicar.bytes))])
        return try ChatFixture.all().map { ($0.name, try $0.infected()) } + [
            // `.jpeg` is the second extension of its type.
            ("letter.jpeg", ChatFixture(.jpeg).infected()),
            ("nested.docx", ZipBytes.docx(["words"], and: [.init("word/embeddings/inner.docx", inner)])),
            ("deep.docx", ZipBytes.docx(["words"], and: [.init("word/embeddings/a/b/inner.docx", inner)])),
            ("texture.usdz", ZipBytes.usdz([.init("0/1/texture.png", Data(Eicar.bytes))])),
        ]
    }

    @Test(
        "EICAR in every type, and nested in archives, is 400 and never readable, also while it is scanned", arguments: StoragePair.allCases)
    func refused(_ pair: StoragePair) async throws {
        try await TestServer.run(pair, Self.scanned) { server in
            let ada = try await server.person()
            // Looks for rows and for anything that the library shows while the uploads run.
            let isUploading = Mutex(true)
            let watch = Task {
                var seen: Int64 = 0
                while isUploading.withLock({ $0 }) {
                    seen = max(seen, try await server.chatFileCount())
                    seen += try await server.backend.database.read { tx in try tx.row("SELECT COUNT(*) AS n FROM media")?.get("n") ?? 0 }
                    try await Task.sleep(for: .milliseconds(5))
                }
                return seen
            }
            for (name, data) in try Self.infected() {
                let answer = try await server.chatUpload(name, data, as: ada)
                #expect(answer.status == 400 && answer.text.contains("virus"), "\(name): \(answer.status) \(answer.text)")
            }
            // The watch is not cancelled: a read that is under way would throw.
            isUploading.withLock { $0 = false }
            #expect(try await watch.value == 0)
            #expect(try await server.storedFileCount() == 0)
            #expect(try await server.checkedUsage(of: ada) == QuotaUsage())
            let clean = try await server.chatUpload("clean.txt", Data("words".utf8), as: ada)
            #expect(clean.status == 200, "\(clean.text)")
        }
    }

    @Test("while the scanner is away, an upload is 503 and leaves nothing", arguments: StoragePair.allCases)
    func away(_ pair: StoragePair) async throws {
        try await TestServer.run(pair, { $0.clamd = .tcp(host: "127.0.0.1", port: 1) }) { server in
            let ada = try await server.person()
            let answer = try await server.chatUpload("a.txt", Data("words".utf8), as: ada)
            #expect(answer.status == 503 && answer.header("Retry-After") != nil, "\(answer.text)")
            #expect(try await server.storedFileCount() == 0)
            #expect(try await server.chatFileCount() == 0)
        }
    }

    @Test("control: without a scanner the infected files are stored, and served byte by byte")
    func control() async throws {
        try await TestServer.run(StoragePair.embedded) { server in
            let ada = try await server.person()
            for (name, data) in try Self.infected() {
                let answer = try await server.chatUpload(name, data, as: ada)
                try #require(answer.status == 200, "\(name): \(answer.text)")
                let served = try await server.send("GET", answer.decode(DocumentedUploadedFile.self).servePath, as: ada)
                let isWhole = served.status == 200 && served.body == data
                #expect(isWhole, "\(name): \(served.status)")
            }
        }
    }
}
