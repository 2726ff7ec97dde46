import AsyncHTTPClient
import Foundation
import NIOCore
import NIOHTTP1
import TestKit
import TestThreads
import Testing

#if canImport(Glibc)
    import Glibc
#endif

@Suite("Full disk and garbage", .blocksThreads)
struct BreakageTests {
    /// Only root can mount a file system.
    @Test(
        "a full disk answers 507, is not ready, serves reads, signs in, deletes, leaves no temporary files, and recovers",
        .enabled(if: getuid() == 0), arguments: Engine.allCases)
    func fullDisk(_ engine: Engine) async throws {
        let folder = try TemporaryFolder()
        // With PostgreSQL only the files are on this disk.
        let stores = try TestStores(engine)
        let settings = engine == .sqlite ? [:] : ["KEEPSAKE_DATABASE": try stores.address()]
        let disk = folder.path + "/disk"
        try FileManager.default.createDirectory(atPath: disk, withIntermediateDirectories: true)
        try #require(try ServerProcess.run(["mount", "-t", "tmpfs", "-o", "size=160m", "tmpfs", disk], binary: "/usr/bin/env").status == 0)
        defer { _ = try? ServerProcess.run(["umount", disk], binary: "/usr/bin/env") }
        let server = try ServerProcess(data: disk + "/data", environment: settings)
        defer { server.killNow() }
        let person = try issueToken(disk + "/data", settings)
        let form = ["email": "eve@example.org", "password": "correct horse"]
        #expect(try await post(server.port, "/auth/password/register", form) == 200)
        #expect(try await ready(server.port) == 200)
        // A file that takes up space until the end of the test.
        try Data(count: 40 * 1_048_576).write(to: URL(filePath: disk + "/ballast"))

        var kept: [String] = []
        var statuses: [Int] = []
        for _ in 0..<20 where statuses.last != 507 {
            let (status, json) = try await upload(server.port, person, Film.bytes(6_000_000, isRandom: true))
            statuses.append(status)
            if status == 200, let files = json["files"] as? [[String: [String: Any]]] {
                kept += files.compactMap { $0["data"]?["appUrl"] as? String }
            }
        }
        #expect(statuses.last == 507 && kept.count >= 4, "\(statuses)")
        for _ in 0..<3 { #expect(try await upload(server.port, person, Film.bytes(6_000_000, isRandom: true)).0 == 507) }
        #expect(try FileManager.default.contentsOfDirectory(atPath: disk + "/data/blobs/tmp").isEmpty)
        for url in kept { #expect(try await get(url, person) == 200) }
        #expect(try await ready(server.port) == 503)
        #expect(try await post(server.port, "/auth/password/login", form) == 200)
        let link = try #require(kept.last)
        let asset = try #require(link.split(separator: "/").last)
        #expect(try await delete(server.port, "/api/users/user/\(person.id)/multimedia/\(asset)", person) == 200)
        #expect(try await get(link, person) == 404)
        try FileManager.default.removeItem(atPath: disk + "/ballast")
        #expect(try await ready(server.port) == 200)
        #expect(try await upload(server.port, person, Film.bytes(6_000_000, isRandom: true)).0 == 200)
        let verify = try ServerProcess.run(["verify", "--data", disk + "/data"], environment: settings)
        #expect(verify.status == 0 && verify.output.contains(" 0 files without a row"), "\(verify.output)\(verify.errors)")
        withExtendedLifetime(stores) {}
    }

    @Test("garbage on two hundred sockets does not disturb the server")
    func garbage() async throws {
        let folder = try TemporaryFolder()
        let server = try ServerProcess(data: folder.path)
        defer { server.killNow() }
        let seed = UInt64.random(in: .min ... .max)
        print("garbage on two hundred sockets: seed \(seed)")
        var generator = SplitMix64(seed: seed)
        for index in 0..<200 {
            // Some garbage begins a valid request, so the server waits for the rest. The short timeout avoids waiting for the server's
            // deadline.
            let connection = try RawConnection(port: server.port, timeout: 1)
            var bytes = (0..<Int.random(in: 1...3_000, using: &generator)).map { _ in UInt8.random(in: 0...255, using: &generator) }
            // Half of the connections start with a valid HTTP head.
            if index % 2 == 0 {
                bytes = Array("POST /auth/password/login HTTP/1.1\r\nHost: a\r\nContent-Length: \(bytes.count)\r\n\r\n".utf8) + bytes
            }
            try? connection.send(bytes)
            if index % 3 == 0 { _ = try? connection.answer() }
            connection.close()
        }
        let response = try await HTTPClient.shared.execute(
            HTTPClientRequest(url: "http://127.0.0.1:\(server.port)/health/ready"), timeout: .seconds(30))
        #expect(response.status == .ok)
    }

    private func issueToken(_ data: String, _ settings: [String: String]) throws -> (id: String, token: String) {
        let run = try ServerProcess.run(["token", "--data", data, "--email", "ada@example.org", "--json"], environment: settings)
        let json = try JSONSerialization.jsonObject(with: Data(run.output.utf8)) as? [String: String] ?? [:]
        return (json["user_id"] ?? "", json["access_token"] ?? "")
    }

    private func upload(_ port: Int, _ person: (id: String, token: String), _ film: Data) async throws -> (Int, [String: Any]) {
        let body = MultipartBody.file("a.mp4", film)
        var request = HTTPClientRequest(url: "http://127.0.0.1:\(port)/api/users/user/\(person.id)/multimedia/swift")
        request.method = .POST
        request.headers.add(name: "Authorization", value: "Bearer \(person.token)")
        request.headers.add(name: "Content-Type", value: body.contentType)
        request.body = .bytes(ByteBuffer(bytes: body.data))
        for _ in 0..<5 {
            let heard = try await MissedAnswer.unless {
                let response = try await HTTPClient.shared.execute(request, timeout: .seconds(60))
                return (response.status.code, Data(try await response.body.collect(upTo: 1_048_576).readableBytesView))
            }
            guard let (status, answer) = heard else { continue }
            return (Int(status), (try? JSONSerialization.jsonObject(with: answer)) as? [String: Any] ?? [:])
        }
        throw ChannelError.ioOnClosedChannel
    }

    private func ready(_ port: Int) async throws -> Int {
        // The server keeps the last results for a second.
        try await Task.sleep(for: .milliseconds(1_100))
        return try await status(HTTPClientRequest(url: "http://127.0.0.1:\(port)/health/ready"))
    }

    private func post(_ port: Int, _ path: String, _ form: [String: String]) async throws -> Int {
        var request = HTTPClientRequest(url: "http://127.0.0.1:\(port)\(path)")
        request.method = .POST
        request.headers.add(name: "Content-Type", value: "application/json")
        request.body = .bytes(ByteBuffer(bytes: try JSONSerialization.data(withJSONObject: form)))
        return try await status(request)
    }

    private func delete(_ port: Int, _ path: String, _ person: (id: String, token: String)) async throws -> Int {
        var request = HTTPClientRequest(url: "http://127.0.0.1:\(port)\(path)")
        request.method = .DELETE
        request.headers.add(name: "Authorization", value: "Bearer \(person.token)")
        return try await status(request)
    }

    private func get(_ url: String, _ person: (id: String, token: String)) async throws -> Int {
        var request = HTTPClientRequest(url: url)
        request.headers.add(name: "Authorization", value: "Bearer \(person.token)")
        return try await status(request)
    }

    private func status(_ request: HTTPClientRequest) async throws -> Int {
        let response = try await HTTPClient.shared.execute(request, timeout: .seconds(30))
        _ = try await response.body.collect(upTo: 64 * 1_048_576)
        return Int(response.status.code)
    }
}
