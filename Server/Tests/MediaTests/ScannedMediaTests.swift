import ArgumentParser
import Foundation
import KeepsakeWire
import MediaTools
import TestKit
import TestThreads
import Testing

@testable import FeatureTestKit
@testable import keepsake

@Suite("Uploads with a virus scanner", .blocksThreads)
struct ScannedMediaTests {
    /// Uses the clamd that `make services` starts.
    private static func scanned(_ settings: inout Settings) { settings.clamd = ClamdAddress(ClamdService.everybodys) }

    /// A video that contains EICAR's test string. The string is split here so that scanners do not report this source file.
    private func infected() -> Data {
        var film = Film.bytes(200_000)
        let string = #"X5O!P%@AP[4\PZX54(P^)7CC)7}$EICAR-STANDARD-"# + "ANTIVIRUS-TEST-FILE!$H+H*"
        film.replaceSubrange(100_000..<100_000 + string.utf8.count, with: Data(string.utf8))
        return film
    }

    @Test("a clean file is kept; an infected one is 422 and leaves nothing", arguments: StoragePair.allCases)
    func verdicts(_ pair: StoragePair) async throws {
        try await TestServer.run(pair, Self.scanned) { server in
            let ada = try await server.person()
            let answer = try await server.upload(.file("film.mp4", infected()), as: ada)
            #expect(answer.status == 422 && answer.text.contains("virus"), "\(answer.text)")
            #expect(try await server.storedFileCount() == 0)
            #expect(try await server.upload(.file("film.mp4", Film.bytes(200_000)), as: ada).status == 200)
            #expect(try await server.storedFileCount() == 1)
        }
    }

    @Test("of several files the infected one is reported by name and the others are stored", arguments: StoragePair.allCases)
    func several(_ pair: StoragePair) async throws {
        try await TestServer.run(pair, Self.scanned) { server in
            let ada = try await server.person()
            var body = MultipartBody()
            body.add("file", fileName: "good.mp4", Film.bytes(10_000))
            body.add("file", fileName: "bad.mp4", infected())
            body.add("file", fileName: "also-good.mp4", Film.bytes(20_000))
            body.close()
            let answer = try await server.upload(body, as: ada)
            let response = try answer.decode(UploadResponse.self)
            #expect(answer.status == 200 && response.count == 2)
            #expect(response.errors?.count == 1 && response.errors?.first?.hasPrefix("bad.mp4: ") == true)
            #expect(try await server.storedFileCount() == 2)
        }
    }

    @Test("while the scanner is unavailable, an upload is 503 with Retry-After and nothing is stored", arguments: StoragePair.allCases)
    func away(_ pair: StoragePair) async throws {
        try await TestServer.run(pair, { $0.clamd = .tcp(host: "127.0.0.1", port: 1) }) { server in
            let answer = try await server.upload(.file("film.mp4", Film.bytes(20_000)), as: server.person())
            #expect(answer.status == 503 && answer.header("Retry-After") != nil)
            #expect(try await server.storedFileCount() == 0)
        }
    }

    @Test("control: without a configured scanner the infected file is stored", arguments: StoragePair.allCases)
    func control(_ pair: StoragePair) async throws {
        try await TestServer.run(pair) { server in
            let answer = try await server.upload(.file("film.mp4", infected()), as: server.person())
            #expect(answer.status == 200)
        }
    }

    @Test("naming a clamd makes scans required, and contradictory settings prevent the start")
    func settings() async throws {
        func read(_ environment: [String: String]) async throws -> Settings {
            try await Settings.read(Serve.parse([]).options, environment: environment)
        }
        #expect(try await read(["KEEPSAKE_CLAMD": "unix:/run/clamd.sock"]).clamd == .unix(path: "/run/clamd.sock"))
        #expect(try await read(["KEEPSAKE_CLAMD": "tcp:localhost:3310", "KEEPSAKE_SCAN": "off"]).clamd == nil)
        await #expect(throws: Settings.Wrong.self) { try await read(["KEEPSAKE_SCAN": "required"]) }
        await #expect(throws: Settings.Wrong.self) { try await read(["KEEPSAKE_CLAMD": "localhost"]) }
    }
}
