import Blobs
import Core
import Database
import Foundation
import KeepsakeWire
import MediaFrames
import TestKit
import TestThreads
import Testing

@testable import FeatureTestKit
@testable import Media
@testable import keepsake

@Suite("Smaller copies of pictures", .blocksThreads)
struct VariantTests {
    private func upload(_ name: String, _ content: Data, _ server: TestServer, as person: TestServer.Person) async throws -> FileData {
        let answer = try await server.upload(.file(name, content), as: person)
        try #require(answer.status == 200, "\(answer.text)")
        return try answer.decode(UploadResponse.self).files[0].data
    }

    @Test("copies come in three formats, upright, no larger than requested and without EXIF data", arguments: StoragePair.allCases)
    func formats(_ pair: StoragePair) async throws {
        try await TestServer.run(pair) { server in
            let ada = try await server.person()
            let file = try await upload("photo.jpg", try Fixture.data("photo.jpg"), server, as: ada)
            #expect((file.width, file.height, file.duration) == (480, 640, nil))
            for (format, magic) in [("jpeg", [0xFF, 0xD8]), ("webp", Array("RIFF".utf8)), ("avif", [0, 0, 0])] as [(String, [UInt8])] {
                let answer = try await server.send("GET", "\(file.url)&w=200&h=256&format=\(format)")
                #expect(answer.status == 200 && answer.header("Content-Type") == "image/\(format)", "\(format): \(answer.text.prefix(200))")
                #expect(answer.header("Content-Disposition")?.contains("photo.\(format == "jpeg" ? "jpg" : format)") == true)
                #expect(answer.header("X-Content-Type-Options") == "nosniff" && answer.header("Vary") == "Origin")
                #expect(answer.body.starts(with: magic) && answer.body.count < 60_000)
                for trace in ["Exif", "GPS", "http://ns.adobe.com", "Apple"] { #expect(answer.body.range(of: Data(trace.utf8)) == nil) }
                if format != "avif" {
                    let look = try DecodedImage([UInt8](answer.body), format)
                    #expect((look.width, look.height) == (192, 256))
                }
            }
            // The original keeps its EXIF data, and its bytes do not change.
            #expect(try await server.send("GET", file.url).body == Fixture.data("photo.jpg"))
        }
    }

    static let stored =
        (1...8).flatMap { number in ["jpg", "png", "webp"].map { "upright-\(number).\($0)" } } + [
            "upright-irot.heic", "upright-irot-exif.heic",
        ]

    @Test(
        "a picture in any of EXIF's eight orientations, or rotated by HEIC, is measured upright and rendered upright",
        arguments: StoragePair.allCases)
    func upright(_ pair: StoragePair) async throws {
        try await TestServer.run(pair) { server in
            let ada = try await server.person()
            let folder = MediaFixture.folder.appending(path: "../PlatformTests/Media/Fixtures")
            // The media worker turns the pictures and does not depend on the store, so only one pair is tested with all of them.
            for name in pair == .embedded ? Self.stored : ["upright-6.jpg", "upright-irot.heic"] {
                let file = try await upload(name, Data(contentsOf: folder.appending(path: name)), server, as: ada)
                #expect((file.width, file.height) == (96, 64), "\(name)")
                let look = try DecodedImage([UInt8](await server.send("GET", "\(file.url)&w=64&format=webp&q=90").body), "webp")
                #expect((look.width, look.height) == (64, 43) && look.isUpright, "\(name): \(look)")
            }
        }
    }

    @Test("sizes and qualities are rounded to fixed steps, so that similar requests share one copy", arguments: StoragePair.allCases)
    func ladder(_ pair: StoragePair) async throws {
        try await TestServer.run(pair) { server in
            let ada = try await server.person()
            let file = try await upload("photo.jpg", try Fixture.data("photo.jpg"), server, as: ada)
            let first = try await server.send("GET", "\(file.url)&w=300")
            for wish in ["w=257&q=66", "w=384&q=80&fit=contain", "w=300&format=jpeg", "w=300&format=auto"] {
                let answer = try await server.send("GET", "\(file.url)&\(wish)")
                #expect(answer.status == 200 && answer.header("ETag") == first.header("ETag"), "\(wish)")
            }
            #expect(await server.copies.madeCount == 1)
            try await server.settleCopies()
            #expect(try await server.storedFileCount() == 2)
            // A copy is never larger than the original.
            let large = try await server.send("GET", "\(file.url)&w=2048")
            let look = try DecodedImage([UInt8](large.body), "jpg")
            #expect((look.width, look.height) == (480, 640))
            // Sends the Accept header of a current browser. A range of a copy works like a range of a file.
            let accepting = [("Accept", "text/html,image/avif;q=0,image/webp,*/*;q=0.8"), ("Range", "bytes=0-3")]
            let webp = try await server.send("GET", "\(file.url)&w=300", headers: accepting)
            #expect(webp.status == 206 && webp.text == "RIFF" && webp.header("Vary") == "Accept, Origin")
            let refusing = [("Accept", "image/webp;q=0, */*")]
            #expect(try await server.send("GET", "\(file.url)&w=300", headers: refusing).header("Content-Type") == "image/jpeg")
        }
    }

    @Test("twenty concurrent requests get one copy, rendered once", arguments: StoragePair.allCases)
    func once(_ pair: StoragePair) async throws {
        try await TestServer.run(pair) { server in
            let ada = try await server.person()
            let file = try await upload("photo.jpg", try Fixture.data("photo.jpg"), server, as: ada)
            let tags = try await withThrowingTaskGroup(of: String?.self) { group in
                for _ in 0..<20 { group.addTask { try await server.send("GET", "\(file.url)&w=128&h=128&fit=cover").header("ETag") } }
                return try await group.reduce(into: Set<String?>()) { $0.insert($1) }
            }
            #expect(tags.count == 1 && tags.first != .some(nil))
            #expect(await server.copies.madeCount == 1)
            try await server.settleCopies()
            #expect(try await server.storedFileCount() == 2)
        }
    }

    @Test("an invalid parameter is 400, and the error names it")
    func wrong() async throws {
        try await TestServer.run(.sqlite) { server in
            let ada = try await server.person()
            let file = try await upload("photo.jpg", try Fixture.data("photo.jpg"), server, as: ada)
            for (wish, field) in [
                ("w=0", "w"), ("w=2049", "w"), ("w=x", "w"), ("h=-1", "h"), ("q=50", "w"), ("w=64&q=0", "q"), ("w=64&q=101", "q"),
                ("w=64&fit=fill", "fit"), ("w=64&format=gif", "format"), ("w=64&fit=cover", "h"), ("h=64&fit=cover", "w"),
            ] {
                let answer = try await server.send("GET", "\(file.url)&\(wish)")
                #expect(answer.status == 400, "\(wish)")
                #expect(try answer.decode(MultimediaErrorBody.self).details.contains(field), "\(wish): \(answer.text)")
                #expect(try await server.storedFileCount() == 1, "\(wish)")
            }
        }
    }

    @Test("copies are only for callers who may read the original, and are deleted with it", arguments: StoragePair.allCases)
    func lifetime(_ pair: StoragePair) async throws {
        try await TestServer.run(pair) { server in
            let (ada, eve) = (try await server.person(), try await server.person("eve"))
            let file = try await upload("photo.jpg", try Fixture.data("photo.jpg"), server, as: ada)
            // Another row of hers with the same bytes shares the copies.
            let twin = try await upload("again.jpg", try Fixture.data("photo.jpg"), server, as: ada)
            let path = String(file.appUrl.dropFirst(server.url.count)) + "?w=64"
            #expect(try await server.send("GET", path, as: ada).status == 200)
            #expect(try await server.send("GET", path).status == 401)
            #expect(try await server.send("GET", path, as: eve).status == 403)
            let hers = path.replacing(ada.id, with: eve.id)
            #expect(try await server.send("GET", hers, as: eve).status == 404)
            #expect(try await server.send("GET", "\(twin.url)&w=64").status == 200)
            #expect(await server.copies.madeCount == 1)
            try await server.settleCopies()
            #expect(try await server.storedCopyCount() == 1)

            #expect(try await server.send("DELETE", "/api/users/user/\(ada.id)/multimedia/\(file.fileId)", as: ada).status == 200)
            #expect(try await server.send("GET", path, as: ada).status == 404)
            #expect(try await server.send("GET", "\(twin.url)&w=64").status == 200)
            #expect(try await server.send("DELETE", "/api/users/user/\(ada.id)/multimedia/\(twin.fileId)", as: ada).status == 200)
            #expect(try await server.send("GET", "\(twin.url)&w=64").status == 404)
            try await server.settleCopies()
            server.clock.advance(by: .minutes(11))
            #expect(try await server.backend.audit.run().problems == [])
            let dead = try await server.backend.database.read { tx in
                (
                    try tx.row("SELECT COUNT(*) AS n FROM blob WHERE state = 'live'")!.get("n", as: Int.self),
                    try tx.row("SELECT COUNT(*) AS n FROM media_variant")!.get("n", as: Int.self)
                )
            }
            #expect(dead == (0, 0))
        }
    }

    @Test("the number of copies of one picture is limited, and the oldest is deleted", arguments: StoragePair.allCases)
    func bounded(_ pair: StoragePair) async throws {
        try await TestServer.run(pair) { server in
            let ada = try await server.person()
            let file = try await upload("alpha.png", try Fixture.data("alpha.png"), server, as: ada)
            var wishes: [String] = []
            for width in [64, 128, 256, 384, 512] {
                for height in [64, 128, 256, 384] { wishes += ["w=\(width)&h=\(height)&q=50", "w=\(width)&h=\(height)&q=95"] }
            }
            for wish in wishes { #expect(try await server.send("GET", "\(file.url)&\(wish)").status == 200) }
            try await server.settleCopies()
            let kept = try await server.storedCopyCount()
            #expect(wishes.count == 40 && kept == VariantSpec.maxCount)
            #expect(try await server.backend.audit.run().problems == [])
            #expect(try await server.send("GET", "\(file.url)&\(wishes[0])").status == 200)
        }
    }

    @Test("a copy of a video is its first frame; a video that cannot be decoded is 422", arguments: StoragePair.allCases)
    func films(_ pair: StoragePair) async throws {
        try await TestServer.run(pair) { server in
            let ada = try await server.person()
            let film = try await upload("film.mp4", try Fixture.data("moov-last.mp4"), server, as: ada)
            #expect((film.width, film.height) == (32, 32) && film.duration.map { (0.2...0.7).contains($0) } == true)
            let poster = try await server.send("GET", "\(film.url)&w=64&format=jpeg")
            #expect(poster.status == 200 && poster.header("Content-Disposition")?.contains("film.jpg") == true)
            #expect(try DecodedImage([UInt8](poster.body), "jpg").width == 32)
            let noise = try await upload("noise.mp4", Film.bytes(20_000), server, as: ada)
            #expect((noise.width, noise.height, noise.duration) == (64, 48, 2.5))
            let none = try await server.send("GET", "\(noise.url)&w=64")
            #expect(none.status == 422, "\(none.text)")
            try await server.settleCopies()
            #expect(try await server.storedFileCount() == 3)
        }
    }
}
