import Blobs
import Foundation
import KeepsakeWire
import Media
import MediaTools
import TestKit
import Testing

/// Uploads every fixture over HTTP, whole and damaged.
@testable import FeatureTestKit
@testable import keepsake

@Suite("Formats that a general upload accepts")
struct FormatTests {
    static let taken: Set<MediaType> = [.jpeg, .png, .webp, .gif, .heic, .heif, .mp4, .mov]
    /// HEIF that contains a JPEG: an accepted type, but libheif on this machine cannot decode it.
    static let undecodable = ["jpeg-coded.heif"]

    /// - Returns: For each file the type that it was accepted as, or `nil`.
    private func outcome(
        of files: [(name: String, content: [UInt8])], declared: String, _ server: TestServer, _ person: TestServer.Person
    ) async throws -> [String?] {
        var body = MultipartBody()
        for file in files { body.add("file", fileName: file.name, type: declared, Data(file.content)) }
        body.close()
        let answer = try await server.upload(body, as: person)
        if answer.status == 422 { return files.map { _ in nil } }
        try #require(answer.status == 200, "\(answer.text)")
        let response = try answer.decode(UploadResponse.self)
        #expect((response.errors?.count ?? 0) + response.files.count == files.count)
        var types = Dictionary(uniqueKeysWithValues: response.files.map { ($0.data.name, $0.data.type) })
        return files.map { types.removeValue(forKey: $0.name) }
    }

    @Test(
        "the content decides the type, whatever the name and the declared type are: every fixture with every extension",
        arguments: StoragePair.allCases)
    func table(_ pair: StoragePair) async throws {
        let all = ["jpg", "jpeg", "png", "webp", "gif", "heic", "heif", "mp4", "mov", "mp3", "m4a", "wav", "svg", "html", "exe", ""]
        // The server decides the type before a store sees the name, so only one pair is tested with all extensions.
        let extensions = pair == .embedded ? all : ["jpg", "html"]
        try await TestServer.run(pair) { server in
            let ada = try await server.person()
            var pairs = 0
            for fixture in MediaFixture.all {
                let content = try fixture.bytes()
                let isTaken = fixture.type.map(Self.taken.contains) == true && !Self.undecodable.contains(fixture.name)
                for start in stride(from: 0, to: extensions.count, by: 8) {
                    let names = extensions[start..<min(start + 8, extensions.count)]
                    let outcome = try await outcome(
                        of: names.map { ("file.\($0)", content) }, declared: start == 0 ? "image/jpeg" : "text/html", server, ada)
                    for (name, type) in zip(names, outcome) {
                        #expect(type == (isTaken ? fixture.type?.rawValue : nil), "\(fixture.name) as .\(name)")
                        pairs += 1
                    }
                }
            }
            #expect(pairs == MediaFixture.all.count * extensions.count)
            #expect(try await server.backend.audit.run().problems == [])
        }
    }

    @Test("empty and cut files, and files with appended bytes, are refused, unless the format allows them", arguments: StoragePair.allCases)
    func damaged(_ pair: StoragePair) async throws {
        try await TestServer.run(pair) { server in
            let ada = try await server.person()
            for fixture in MediaFixture.accepted where fixture.type.map(Self.taken.contains) == true {
                guard !Self.undecodable.contains(fixture.name) else { continue }
                let content = try fixture.bytes()
                let garbage = content + [UInt8](repeating: 0xA5, count: 5_000)
                let outcome = try await outcome(
                    of: [
                        ("whole", content), ("empty", []), ("first", Array(content.prefix(1))),
                        ("half", Array(content.prefix(content.count / 2))),
                        ("almost", Array(content.dropLast(max(1, content.count / 50)))), ("garbage", garbage),
                    ], declared: fixture.type!.rawValue, server, ada)
                #expect(outcome[0] == fixture.type?.rawValue, "\(fixture.name)")
                #expect(outcome[1] == nil && outcome[2] == nil, "\(fixture.name)")
                for (index, name) in [(3, "half"), (4, "almost")] where outcome[index] != nil {
                    #expect(fixture.canBeShorter && outcome[index] == fixture.type?.rawValue, "\(fixture.name), \(name)")
                }
                // Phones append videos and depth maps to their pictures, so these two types may have bytes behind their end.
                let letsBe = fixture.type == .jpeg || fixture.type == .heic
                #expect((outcome[5] != nil) == letsBe, "\(fixture.name) with bytes behind it")
            }
        }
    }

    @Test("without the media worker an upload is 503 with Retry-After, and nothing is stored", arguments: StoragePair.allCases)
    func away(_ pair: StoragePair) async throws {
        try await TestServer.run(pair, { $0.mediaWorker.program = "/bin/false" }) { server in
            let ada = try await server.person()
            let answer = try await server.upload(.file("a.jpg", try Fixture.data("photo.jpg")), as: ada)
            #expect(answer.status == 503 && answer.header("Retry-After") != nil, "\(answer.text)")
            #expect(try await server.storedFileCount() == 0)
        }
    }

    @Test(
        "audio in a video container is not accepted as video, nor an AVIF with the brand of HEIC as HEIC", arguments: StoragePair.allCases)
    func disguised(_ pair: StoragePair) async throws {
        try await TestServer.run(pair) { server in
            let ada = try await server.person()
            var sound = try RealFile.bytes("voice.m4a")
            sound.replaceSubrange(8..<12, with: Array("isom".utf8))
            for at in stride(from: 16, to: 32, by: 4) where sound[at..<at + 4].elementsEqual("M4A ".utf8) {
                sound.replaceSubrange(at..<at + 4, with: Array("isom".utf8))
            }
            #expect(Sniffer.verify(sound) == .mp4)
            var picture = try RealFile.bytes("refused/still.avif")
            for at in stride(from: 8, to: 40, by: 4) where picture[at..<at + 4].elementsEqual("avif".utf8) {
                picture.replaceSubrange(at..<at + 4, with: Array("heic".utf8))
            }
            #expect(Sniffer.verify(picture) == .heic)
            for (name, content) in [("a.mp4", sound), ("b.heic", picture)] {
                let before = server.backend.workers.taken
                let answer = try await server.upload(.file(name, Data(content)), as: ada)
                #expect(answer.status == 422, "\(name): \(answer.text)")
                // Each upload takes only one job of the media worker: the sound is not decoded.
                #expect(server.backend.workers.taken == before + 1, "\(name)")
            }
            #expect(try await server.storedFileCount() == 0)
        }
    }

    @Test("a JPEG with arithmetic coding is refused with a text that names the reason", arguments: StoragePair.allCases)
    func arithmeticCoding(_ pair: StoragePair) async throws {
        try await TestServer.run(pair) { server in
            let ada = try await server.person()
            var picture = try RealFile.bytes("baseline.jpg")
            let frame = try #require(picture.indices.first { $0 + 1 < picture.count && picture[$0] == 0xFF && picture[$0 + 1] == 0xC0 })
            picture[frame + 1] = 0xC9
            #expect(Sniffer.verify(picture) == .jpeg)
            let answer = try await server.upload(.file("a.jpg", Data(picture)), as: ada)
            #expect(answer.status == 422 && answer.text.contains("arithmetic coding"), "\(answer.text)")
            #expect(try await server.storedFileCount() == 0)
        }
    }

    @Test("a PNG whose header takes long to read is refused with a text that says what to do", arguments: StoragePair.allCases)
    func manyTexts(_ pair: StoragePair) async throws {
        try await TestServer.run(pair) { server in
            let ada = try await server.person()
            let palette = try RealFile.bytes("palette.png")
            // 17 chunks of compressed text, each with a keyword of one letter.
            let text: [UInt8] = [0, 0, 0, 3] + Array("zTXt".utf8) + [0x6B, 0, 0, 0, 0, 0, 0]
            var picture = Array(palette[..<33])
            for _ in 0..<17 { picture += text }
            picture += palette[33...]
            #expect(Sniffer.verify(picture) == .png)
            let answer = try await server.upload(.file("a.png", Data(picture)), as: ada)
            #expect(answer.status == 422 && answer.text.contains("more texts, segments or tiles"), "\(answer.text)")
            #expect(try await server.storedFileCount() == 0)
        }
    }
}
