import AsyncHTTPClient
import Crypto
import Foundation
import NIOCore
import NIOHTTP1
import TestKit
import TestThreads
import Testing

@Suite("Campaign: export", .blocksThreads)
struct ExportCampaignTests {
    /// How many bytes the server's memory may grow during an export.
    private static let allowance = 32 * 1_048_576

    @Test(
        "an archive of 1 GB is complete and takes little memory; an aborted export releases its memory and its slot",
        arguments: CampaignScale.pairs)
    func large(_ pair: StoragePair) async throws {
        guard CampaignScale.runs("export") else { return }
        let isFull = CampaignScale.isFull("export")
        // The number of videos of 32 MB. radosgw keeps its objects in memory, so it gets only half as many.
        let count = isFull ? (pair == .embedded ? 32 : 16) : 2
        let folder = try TemporaryFolder()
        let stores = try TestStores(pair)
        let environment = try stores.environment().merging(["KEEPSAKE_RATE_LIMITS": "off"]) { $1 }
        let server = try ServerProcess(data: folder.path + "/data", environment: environment)
        defer { server.killNow() }
        let run = try ServerProcess.run(
            ["token", "--data", folder.path + "/data", "--email", "a@example.org", "--json"], environment: environment)
        let json = try #require(JSONSerialization.jsonObject(with: Data(run.output.utf8)) as? [String: String])
        let (id, token) = (try #require(json["user_id"]), try #require(json["access_token"]))
        var hashes: Set<String> = []
        let films = (0..<2).map { _ in Film.bytes(32 * 1_048_576, isRandom: true) }
        for number in 0..<count {
            let film = films[number % films.count]
            hashes.insert(Load.hash(film))
            let body = MultipartBody.file("film \(number).mp4", film)
            var request = HTTPClientRequest(url: "http://127.0.0.1:\(server.port)/api/users/user/\(id)/multimedia/swift")
            request.method = .POST
            request.headers.add(name: "Authorization", value: "Bearer \(token)")
            request.headers.add(name: "Content-Type", value: body.contentType)
            request.body = .bytes(ByteBuffer(bytes: body.data))
            let answer = try await campaignClient.execute(request, timeout: .seconds(60))
            try #require(answer.status == .ok)
            _ = try await answer.body.collect(upTo: 1_048_576)
        }

        let path = folder.path + "/a.zip"
        // The first export allocates memory that the server keeps.
        _ = try await export(server, token, to: path)
        let before = try server.residentByteCount()
        let clock = ContinuousClock()
        let start = clock.now
        let (byteCount, peak) = try await export(server, token, to: path)
        let time = clock.now - start
        try Tool.run("unzip", ["-tqq", path])
        let script = """
            import sys, zipfile, hashlib
            with zipfile.ZipFile(sys.argv[1]) as z:
                for e in z.namelist():
                    if e.startswith('files/'):
                        h = hashlib.sha256()
                        with z.open(e) as f:
                            while b := f.read(1 << 20): h.update(b)
                        print(h.hexdigest())
            """
        let found = Set(try Tool.run("python3", ["-c", script, path]).split(separator: "\n").map(String.init))

        // Aborts exports repeatedly; then the account's export slot and the memory must be free.
        for _ in 0..<(isFull ? 20 : 3) { try await hangUp(server, token) }
        let end = clock.now + .seconds(20)
        var last: UInt = 0
        while last != 200, clock.now < end {
            last = try await head(server, token)
            try await Task.sleep(for: .milliseconds(50))
        }
        let after = try server.residentByteCount()
        let speed = Double(byteCount) / 1_048_576 / (time / .seconds(1))
        print(
            """
            export campaign, \(pair): \(byteCount / 1_048_576) MB in \(time), \(Int(speed)) MB/s; memory \(before / 1_048_576) MB before, \
            \(peak / 1_048_576) MB at most meanwhile, \(after / 1_048_576) MB after clients hung up
            """)
        #expect(found == hashes)
        #expect(last == 200)
        #expect(peak - before < Self.allowance)
        #expect(after - before < Self.allowance)
        withExtendedLifetime(stores) {}
    }

    @Test("an archive of 1,000 selected files is complete and takes little memory, also when clients disconnect")
    func selected() async throws {
        guard CampaignScale.runs("export") else { return }
        // In the full form, 1,000 files of this size are 1 GB.
        let fileByteCount = CampaignScale.isFull("export") ? 1_048_576 : 65_536
        let folder = try TemporaryFolder()
        let environment = ["KEEPSAKE_RATE_LIMITS": "off"]
        let server = try ServerProcess(data: folder.path + "/data", environment: environment)
        defer { server.killNow() }
        let run = try ServerProcess.run(
            ["token", "--data", folder.path + "/data", "--email", "a@example.org", "--json"], environment: environment)
        let json = try #require(JSONSerialization.jsonObject(with: Data(run.output.utf8)) as? [String: String])
        let (id, token) = (try #require(json["user_id"]), try #require(json["access_token"]))
        let base = "http://127.0.0.1:\(server.port)/api/users/user/\(id)/multimedia"
        func post(_ path: String, _ type: String, _ body: Data) async throws -> [String: Any] {
            var request = HTTPClientRequest(url: base + path)
            request.method = .POST
            request.headers.add(name: "Authorization", value: "Bearer \(token)")
            request.headers.add(name: "Content-Type", value: type)
            request.body = .bytes(ByteBuffer(bytes: body))
            let answer = try await campaignClient.execute(request, timeout: .seconds(60))
            let bytes = try await answer.body.collect(upTo: 1_048_576)
            try #require(answer.status == .ok, "\(String(buffer: bytes))")
            return try #require(JSONSerialization.jsonObject(with: Data(bytes.readableBytesView)) as? [String: Any])
        }
        var (hashes, ids): ([String], [String]) = ([], [])
        for _ in 0..<100 {
            var body = MultipartBody()
            let films = (0..<10).map { _ in Film.bytes(fileByteCount, isRandom: true) }
            for film in films { body.add("file", fileName: "film.mp4", film) }
            body.close()
            let answer = try await post("/swift", body.contentType, body.data)
            let files = try #require(answer["files"] as? [[String: [String: Any]]])
            ids += files.compactMap { $0["data"]?["fileId"] as? String }
            hashes += films.map(Load.hash)
        }
        func link() async throws -> String {
            let answer = try await post(
                "/archives", "application/json", try JSONSerialization.data(withJSONObject: ["fileIds": ids]))
            #expect(answer["count"] as? Int == 1_000 && answer["size"] as? Int == 1_000 * fileByteCount)
            let url = try #require(URLComponents(string: answer["url"] as? String ?? ""))
            return "http://127.0.0.1:\(server.port)\(url.percentEncodedPath)?\(url.percentEncodedQuery ?? "")"
        }

        let path = folder.path + "/a.zip"
        // The first archive allocates memory that the server keeps.
        _ = try await download(server, HTTPClientRequest(url: link()), to: path)
        let before = try server.residentByteCount()
        for _ in 0..<5 {
            let response = try await campaignClient.execute(HTTPClientRequest(url: link()), timeout: .seconds(60))
            var byteCount = 0
            for try await chunk in response.body {
                byteCount += chunk.readableBytes
                // Returning early closes the connection.
                if byteCount > 5_000_000 { break }
            }
            // The archive's slot is free again when the server notices that the client is gone.
            try await Task.sleep(for: .milliseconds(500))
        }
        let (byteCount, peak) = try await download(server, HTTPClientRequest(url: link()), to: path)
        try Tool.run("unzip", ["-tqq", path])
        let script = """
            import sys, zipfile, hashlib
            with zipfile.ZipFile(sys.argv[1]) as z:
                assert len(set(z.namelist())) == 1000
                for e in z.namelist(): print(hashlib.sha256(z.read(e)).hexdigest())
            """
        let found = try Tool.run("python3", ["-c", script, path]).split(separator: "\n").map(String.init)
        let after = try server.residentByteCount()
        print(
            """
            export campaign, 1,000 selected files: \(byteCount / 1_048_576) MB; memory \(before / 1_048_576) MB before, \
            \(peak / 1_048_576) MB at most meanwhile, \(after / 1_048_576) MB afterwards
            """)
        #expect(found == hashes)
        #expect(max(peak, after) - before < Self.allowance / 2)
    }

    /// - Returns: the archive's length, and the peak of the server's memory during the export, both in bytes.
    private func export(_ server: ServerProcess, _ token: String, to path: String) async throws -> (byteCount: Int, peak: Int) {
        try await download(server, request(server, token), to: path)
    }

    private func download(
        _ server: ServerProcess, _ request: HTTPClientRequest, to path: String
    ) async throws -> (byteCount: Int, peak: Int) {
        let response = try await campaignClient.execute(request, timeout: .seconds(300))
        try #require(response.status == .ok)
        _ = FileManager.default.createFile(atPath: path, contents: nil)
        let file = try FileHandle(forWritingTo: URL(filePath: path))
        var (byteCount, chunks, peak) = (0, 0, 0)
        for try await chunk in response.body {
            byteCount += chunk.readableBytes
            chunks += 1
            if chunks % 64 == 0 { peak = max(peak, try server.residentByteCount()) }
            try file.write(contentsOf: Data(chunk.readableBytesView))
        }
        try file.close()
        return (byteCount, max(peak, try server.residentByteCount()))
    }

    private func hangUp(_ server: ServerProcess, _ token: String) async throws {
        let response = try await campaignClient.execute(request(server, token), timeout: .seconds(60))
        var byteCount = 0
        for try await chunk in response.body {
            byteCount += chunk.readableBytes
            // Returning early closes the connection.
            if byteCount > 5_000_000 { return }
        }
    }

    private func head(_ server: ServerProcess, _ token: String) async throws -> UInt {
        var request = request(server, token)
        request.method = .HEAD
        return try await campaignClient.execute(request, timeout: .seconds(60)).status.code
    }

    private func request(_ server: ServerProcess, _ token: String) -> HTTPClientRequest {
        var request = HTTPClientRequest(url: "http://127.0.0.1:\(server.port)/auth/export")
        request.headers.add(name: "Authorization", value: "Bearer \(token)")
        return request
    }
}
