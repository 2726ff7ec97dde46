import AsyncHTTPClient
import Core
import Crypto
import Foundation
import KeepsakeWire
import NIOCore
import NIOHTTP1
import TestKit
import TestThreads
import Testing

/// nginx stands in front of radosgw, with a certificate that an authority of the test has signed.
@Suite("An object store over TLS", .blocksThreads)
struct StoreOverTLSTests {
    @Test(
        "files of one and of several parts are stored, read and linked, and each request but a link has the hash of its body",
        arguments: [true, false])
    func files(_ isEncrypted: Bool) async throws {
        let heads = Guarded<[String]>([])
        let store = try FaultyHTTPProxy(toPort: CephService.sharedPort) { request in
            heads.withLock { $0.append(request.head) }
            return .none
        }
        let nginx = try NginxProcess.start(beforeStore: store.port)
        let bucket = try isEncrypted ? TestBucket(port: nginx.securePort, authority: nginx.authority) : TestBucket(port: nginx.port)
        let installation = try Installation(
            .embedded, settings: bucket.environment.merging(["KEEPSAKE_BLOBS_REDIRECT": "on"]) { $1 })
        let person = try installation.person()
        let node = try installation.node("one")
        let photo = Data(try RealFile.bytes("photo.jpg"))
        let film = Film.bytes(12 << 20, isRandom: true)
        for (name, content) in [("a.jpg", photo), ("a.mp4", film)] {
            let file = try await upload(name, content, node, person)
            // The store answers the link that the server redirects to.
            let folder = try TemporaryFolder()
            let end = try Tool.run(
                "curl",
                ["--silent", "--fail", "--location", "--cacert", nginx.authority, "--output", folder.path + "/linked"]
                    + ["--write-out", "%{url_effective}", file.url])
            #expect(end.hasPrefix(isEncrypted ? "https://127.0.0.1:\(nginx.securePort)/" : "http://127.0.0.1:\(nginx.port)/"), "\(end)")
            let linked = try Data(contentsOf: URL(filePath: folder.path + "/linked"))
            #expect(linked == content, "\(name)")
            // A request with a condition is never redirected: the server reads the store itself.
            for (range, part) in [(nil, content[...]), ("bytes=1000-1999", content[1_000..<2_000])] {
                let read = try await get(file.url, range)
                #expect(read == part, "\(name) \(range ?? "whole")")
            }
        }
        #expect(node.terminate() == 0)

        let seen = heads.value
        let (links, signed) = (seen.filter { $0.contains("X-Amz-Signature=") }, seen.filter { !$0.contains("X-Amz-Signature=") })
        #expect(links.count == 2)
        let hashes = signed.map { head in
            head.split(whereSeparator: \.isNewline).first { $0.lowercased().hasPrefix("x-amz-content-sha256: ") }?.suffix(64)
        }
        #expect(hashes.allSatisfy { $0?.count == 64 && $0?.allSatisfy(\.isHexDigit) == true }, "\(signed)")
        #expect(hashes.contains(Hex.encode(SHA256.hash(data: photo))[...]))
        for request in ["PUT /", "POST /", "GET /"] { #expect(signed.contains { $0.hasPrefix(request) }, "\(request)") }
        #expect(signed.filter { $0.contains("partNumber=") }.count >= 3)
    }

    @Test("doctor accepts the store with `ca`; without it, or under another name, one line says what to change")
    func doctor() throws {
        let nginx = try NginxProcess.start(beforeStore: CephService.sharedPort)
        let bucket = try TestBucket(port: nginx.securePort, authority: nginx.authority)
        let address = try #require(bucket.environment["KEEPSAKE_BLOBS"])
        let folder = try TemporaryFolder()
        func run(_ blobs: String) throws -> (status: Int32, output: String, errors: String) {
            try ServerProcess.run(
                ["doctor", "--data", folder.path], environment: bucket.environment.merging(["KEEPSAKE_BLOBS": blobs]) { $1 })
        }
        let accepted = try run(address)
        #expect(accepted.status == 0 && accepted.output.contains("at https://127.0.0.1:\(nginx.securePort), prefix"), "\(accepted.output)")
        for (blobs, part) in [
            (address.replacing("&ca=\(nginx.authority)", with: ""), "set ca=FILE in KEEPSAKE_BLOBS"),
            (address.replacing("127.0.0.1", with: "127.0.0.2"), "is for another name"),
        ] {
            let refused = try run(blobs)
            #expect(refused.status == 69)
            let failures = refused.output.split(separator: "\n").filter { $0.hasPrefix("FAILED") }
            #expect(failures.count == 1 && failures[0].hasPrefix("FAILED  blobs: ") && failures[0].contains(part), "\(refused.output)")
        }
        let missing = try run(address.replacing("authority.pem", with: "authority.key"))
        #expect(missing.status == 64 && missing.errors.contains("names as ca a file without certificates"), "\(missing.errors)")
        #expect(missing.errors.split(separator: "\n").count == 1, "\(missing.errors)")
    }

    private func upload(_ name: String, _ content: Data, _ node: ServerProcess, _ person: CampaignPerson) async throws -> FileData {
        let body = MultipartBody.file(name, content)
        var request = HTTPClientRequest(url: "http://127.0.0.1:\(node.port)\(person.library)/swift")
        request.method = .POST
        request.headers.add(name: "Authorization", value: "Bearer \(person.token)")
        request.headers.add(name: "Content-Type", value: body.contentType)
        request.body = .bytes(ByteBuffer(bytes: body.data))
        let response = try await campaignClient.execute(request, timeout: .seconds(60))
        let answer = Data(try await response.body.collect(upTo: 1 << 20).readableBytesView)
        try #require(response.status.code == 200, "\(String(decoding: answer, as: UTF8.self))")
        return try JSONDecoder().decode(UploadResponse.self, from: answer).files[0].data
    }

    private func get(_ url: String, _ range: String?) async throws -> Data {
        var request = HTTPClientRequest(url: url)
        request.headers.add(name: "If-None-Match", value: "\"another\"")
        if let range { request.headers.add(name: "Range", value: range) }
        let response = try await campaignClient.execute(request, timeout: .seconds(60))
        #expect(response.status.code == (range == nil ? 200 : 206))
        return Data(try await response.body.collect(upTo: 64 << 20).readableBytesView)
    }
}
