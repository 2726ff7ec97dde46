import AsyncHTTPClient
import Crypto
import Foundation
import NIOCore
import NIOHTTP1
import TestKit
import TestThreads
import Testing

@Suite("Campaign: export", .blocksThreads, .runsAlone)
struct ExportCampaignTests {
    /// How many bytes the server's memory may grow during an export.
    private static let allowance = 32 * 1_048_576

    @Test("an archive of 1 GB is complete and takes little memory; an aborted export releases its memory and its slot")
    func large() async throws {
        guard CampaignScale.runs("export") else { return }
        let isFull = CampaignScale.isFull("export")
        // Videos of 32 MB each.
        let count = isFull ? 32 : 2
        let folder = try TemporaryFolder()
        let environment = ["KEEPSAKE_RATE_LIMITS": "off"]
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
            export campaign: \(byteCount / 1_048_576) MB in \(time), \(Int(speed)) MB/s; memory \(before / 1_048_576) MB before, \
            \(peak / 1_048_576) MB at most meanwhile, \(after / 1_048_576) MB after clients hung up
            """)
        #expect(found == hashes)
        #expect(last == 200)
        #expect(peak - before < Self.allowance)
        #expect(after - before < Self.allowance)
    }

    /// - Returns: the archive's length, and the peak of the server's memory during the export, both in bytes.
    private func export(_ server: ServerProcess, _ token: String, to path: String) async throws -> (byteCount: Int, peak: Int) {
        let response = try await campaignClient.execute(request(server, token), timeout: .seconds(300))
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
