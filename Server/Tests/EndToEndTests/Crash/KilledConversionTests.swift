import AsyncHTTPClient
import Foundation
import NIOCore
import NIOHTTP1
import TestKit
import TestThreads
import Testing

@Suite("A crash during the conversion of a film", .blocksThreads)
struct KilledConversionTests {
    @Test("the crash ends ffmpeg, and the next node converts the film once", arguments: StoragePair.allCases)
    func killed(_ pair: StoragePair) async throws {
        let installation = try Installation(pair)
        let folder = try TemporaryFolder()
        let film = try FilmMaker.hevc(folder.path + "/film.mp4", seconds: 3, size: "640x360")
        let person = try installation.person()
        var node = try installation.node("one")
        let body = MultipartBody.file("film.mp4", film)
        let answer = try await send(
            "POST", "\(person.library)/swift", node, person, body: body.data, contentType: body.contentType)
        let text = String(decoding: answer.body, as: UTF8.self)
        try #require(answer.status == 200, "\(text)")
        let id = try #require(text.firstMatch(of: /"fileId":"([^"]+)"/)?.1)
        let path = "\(person.library)/files/\(id)?play=1"

        var converters: [Int32] = []
        for _ in 0..<1_000 where converters.isEmpty {
            try await Task.sleep(for: .milliseconds(10))
            converters = ProcessTree(node.processID).members.filter(Self.isConverter)
        }
        #expect(converters.count == 1)
        #expect(try await send("GET", path, node, person).status == 409)
        node.killNow()
        for _ in 0..<500 where !converters.filter(Self.isConverter).isEmpty { try await Task.sleep(for: .milliseconds(10)) }
        #expect(converters.filter(Self.isConverter).isEmpty, "ffmpeg ended with its server")

        node = try installation.node("one")
        var copy = try await send("GET", path, node, person)
        // The killed node's lease on the job lasts a minute. The test waits between its requests, because each request takes processor
        // time.
        for _ in 0..<150 where copy.status == 409 {
            try await Task.sleep(for: .seconds(1))
            copy = try await send("GET", path, node, person)
        }
        #expect(copy.status == 200)
        #expect(try FilmMaker.probe(copy.body, in: folder.path)["video"] == "h264 High yuv420p 640 360 30/1")
        #expect(try await installation.fileCount() == 2)
        _ = node.terminate()
        #expect(try installation.command(["verify"]).status == 0)
    }

    private static func isConverter(_ process: Int32) -> Bool {
        let words = (try? String(contentsOfFile: "/proc/\(process)/cmdline", encoding: .utf8)) ?? ""
        return words.contains("libx264") && !words.contains("keepsake-media")
    }

    private func send(
        _ method: String, _ path: String, _ node: ServerProcess, _ person: CampaignPerson, body: Data? = nil, contentType: String? = nil
    ) async throws -> (status: UInt, body: Data) {
        var request = HTTPClientRequest(url: "http://127.0.0.1:\(node.port)\(path)")
        request.method = .init(rawValue: method)
        request.headers.add(name: "Authorization", value: "Bearer \(person.token)")
        if let contentType { request.headers.add(name: "Content-Type", value: contentType) }
        if let body { request.body = .bytes(ByteBuffer(bytes: body)) }
        let response = try await campaignClient.execute(request, timeout: .seconds(60))
        return (response.status.code, Data(try await response.body.collect(upTo: 64 << 20).readableBytesView))
    }
}
