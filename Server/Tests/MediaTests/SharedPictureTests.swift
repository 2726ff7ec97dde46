import Blobs
import Core
import Database
import Foundation
import KeepsakeWire
import TestKit
import TestThreads
import Testing
import Web

@testable import FeatureTestKit
@testable import Media
@testable import keepsake

@Suite("GET …/multimedia/shared/{fileId}", .blocksThreads)
struct SharedPictureTests {
    private static let folder = MediaFixture.folder.appending(path: "../PlatformTests/Media/Fixtures")

    private static func bytes(_ name: String) throws -> Data { try Data(contentsOf: folder.appending(path: name)) }

    private struct Stored: Sendable {
        let id: String
        /// The link for others, and the link for the owner.
        let shared: String
        let original: String
    }

    private func upload(_ name: String, _ content: Data, _ server: TestServer, as person: TestServer.Person) async throws -> Stored {
        let answer = try await server.upload(.file(name, content), as: person)
        try #require(answer.status == 200, "\(answer.text)")
        let file = try answer.decode(UploadResponse.self).files[0].data
        let library = server.backend.media.library
        let link = library.sharedLink(file.fileId, owner: person.id)
        #expect(library.sharedLinks(of: person.id).link(file.fileId) == link)
        return Stored(id: file.fileId, shared: link, original: file.url)
    }

    private static let traces = ["GPS", "52,31", "Keepsake", "2025:06:14"]

    @Test(
        "others see a picture without its position: the same pixels, upright, with the colour profile; the owner sees it as it was sent",
        arguments: StoragePair.allCases)
    func withPosition(_ pair: StoragePair) async throws {
        try await TestServer.run(pair) { server in
            let ada = try await server.person()
            // The media worker removes positions and does not depend on the store, so only one pair is tested with all formats.
            let kinds = pair == .embedded ? ["jpg", "png", "webp", "heic"] : ["jpg", "heic"]
            for kind in kinds {
                for name in ["position-exif.\(kind)", "position-xmp.\(kind)"] {
                    let content = try Self.bytes(name)
                    let stored = try await upload(name, content, server, as: ada)
                    let answer = try await server.send("GET", stored.shared)
                    #expect(answer.status == 200 && answer.body != content, "\(name)")
                    #expect(answer.header("Content-Type") == (kind == "jpg" ? "image/jpeg" : "image/\(kind)"))
                    #expect(answer.header("Content-Disposition") == "inline; filename=\"picture.\(kind)\"")
                    #expect(answer.header("Cache-Control")?.hasPrefix("private, max-age=") == true)
                    for trace in Self.traces { #expect(answer.body.range(of: Data(trace.utf8)) == nil, "\(name): \(trace)") }
                    let (before, after) = (try DecodedImage([UInt8](content), kind), try DecodedImage([UInt8](answer.body), kind))
                    #expect(after.pixels == before.pixels && (after.width, after.height) == (before.width, before.height), "\(name)")
                    let upright = try await server.send("GET", "\(stored.shared)&w=128&format=webp&q=95")
                    let look = try DecodedImage([UInt8](upright.body), "webp")
                    #expect(look.isUpright && (look.width, look.height) == (96, 64), "\(name)")
                    #expect(upright.header("Content-Disposition") == "inline; filename=\"picture.webp\"")
                    for trace in Self.traces { #expect(upright.body.range(of: Data(trace.utf8)) == nil, "\(name): \(trace)") }
                    // A second request gets the stored copy; a range of it works like a range of a file.
                    let again = try await server.send("GET", stored.shared, headers: [("Range", "bytes=0-9")])
                    #expect(again.status == 206 && again.body == answer.body.prefix(10) && again.header("ETag") == answer.header("ETag"))
                    #expect(try await server.send("GET", stored.original).body == content)
                }
            }
            // Two pictures of each kind, each with two copies, each made once.
            #expect(await server.backend.media.variants.madeCount == 4 * kinds.count)
        }
    }

    @Test("others see a picture without a position as it was sent, byte for byte", arguments: StoragePair.allCases)
    func withoutPosition(_ pair: StoragePair) async throws {
        try await TestServer.run(pair) { server in
            let ada = try await server.person()
            for kind in ["jpg", "png", "webp", "heic"] {
                let content = try Self.bytes("no-position.\(kind)")
                let stored = try await upload("me.\(kind)", content, server, as: ada)
                let answer = try await server.send("GET", stored.shared)
                #expect(answer.status == 200 && answer.body == content, "\(kind)")
                #expect(answer.header("Content-Disposition") == "inline; filename=\"picture.\(kind)\"")
            }
            #expect(await server.backend.media.variants.madeCount == 0)
        }
    }

    @Test(
        "a link to a profile picture in HEIC leads to a JPEG without metadata; its owner has the original in the library",
        arguments: StoragePair.allCases)
    func profilePictureInHEIC(_ pair: StoragePair) async throws {
        try await TestServer.run(pair) { server in
            let ada = try await server.person()
            for name in ["no-position.heic", "position-exif.heic"] {
                let content = try Self.bytes(name)
                let answer = try await server.upload(
                    .file("me.heic", content), to: "/api/users/user/\(ada.id)/profile-picture/swift", as: ada)
                let shared = try answer.decode(ProfilePictureResponse.self).imageUrl
                let id = try #require(shared.prefix { $0 != "?" }.split(separator: "/").last)
                #expect(shared == server.backend.media.library.sharedLink(String(id), owner: ada.id))
                let own = try await server.send("GET", "/api/users/user/\(ada.id)/multimedia/\(id)", as: ada).decode(MediaResponse.self)
                #expect(try await server.send("GET", own.file.url).body == content, "\(name)")
                for _ in 0..<2 {
                    let picture = try await server.send("GET", shared)
                    #expect(picture.status == 200 && picture.header("Content-Type") == "image/jpeg", "\(name)")
                    #expect(picture.header("Content-Disposition") == "inline; filename=\"picture.jpg\"")
                    let look = try DecodedImage([UInt8](picture.body), "jpg")
                    #expect((look.width, look.height) == (96, 64), "\(name)")
                    for trace in Self.traces { #expect(picture.body.range(of: Data(trace.utf8)) == nil, "\(name): \(trace)") }
                }
            }
            #expect(await server.backend.media.variants.madeCount == 2)
        }
    }

    @Test("neither link opens the other's path, and a parameter changes no path", arguments: StoragePair.allCases)
    func links(_ pair: StoragePair) async throws {
        try await TestServer.run(pair) { server in
            let (ada, eve) = (try await server.person(), try await server.person("eve"))
            let stored = try await upload("a.jpg", Self.bytes("position-exif.jpg"), server, as: ada)
            #expect(stored.shared != stored.original)
            #expect(try await server.send("GET", stored.shared.replacing("/shared/", with: "/files/")).status == 403)
            #expect(try await server.send("GET", stored.original.replacing("/files/", with: "/shared/")).status == 403)
            let path = "/api/users/user/\(ada.id)/multimedia/shared/\(stored.id)"
            #expect(try await server.send("GET", path).status == 401)
            #expect(try await server.send("GET", path, as: eve).status == 403)
            #expect(try await server.send("GET", path.replacing(ada.id, with: eve.id), as: eve).status == 404)
            // The owner may look at what others see.
            let own = try await server.send("GET", path, as: ada)
            #expect(own.status == 200 && own.header("Cache-Control") == "private, no-cache")
            #expect(try await own.body == server.send("GET", stored.shared).body)
            let head = try await server.send("HEAD", path, as: ada)
            #expect(head.status == 200 && head.header("Content-Length") == String(own.body.count))
            #expect(try await server.send("POST", path, as: ada).status == 405)
            let wrong = try await server.send("GET", stored.shared + "&w=0")
            #expect(wrong.status == 400 && wrong.text.contains("w must be"))
        }
    }

    @Test("what is not a picture, is deleted, or belongs to a closed or suspended account is 404 at once", arguments: StoragePair.allCases)
    func gone(_ pair: StoragePair) async throws {
        try await TestServer.run(pair) { server in
            let ada = try await server.person()
            let film = try await upload("film.mp4", Fixture.data("moov-last.mp4"), server, as: ada)
            #expect(try await server.send("GET", film.shared).status == 404)
            #expect(try await server.send("GET", film.shared + "&w=64").status == 404)
            #expect(try await server.send("GET", film.original).status == 200)
            let stored = try await upload("a.jpg", Self.bytes("position-exif.jpg"), server, as: ada)
            for state in ["suspended_at", "closed_at"] {
                #expect(try await server.send("GET", stored.shared).status == 200)
                try await Self.set(state, 1, of: ada, server)
                for link in [stored.shared, stored.shared + "&w=64", stored.original] {
                    #expect(try await server.send("GET", link).status == 404, "\(state)")
                }
                try await Self.set(state, nil, of: ada, server)
            }
            #expect(try await server.send("DELETE", "/api/users/user/\(ada.id)/multimedia/\(stored.id)", as: ada).status == 200)
            #expect(try await server.send("GET", stored.shared).status == 404)
            server.clock.advance(by: .minutes(11))
            #expect(try await server.backend.audit.run().problems == [])
        }
    }

    private static func set(_ column: String, _ value: Int64?, of person: TestServer.Person, _ server: TestServer) async throws {
        try await server.backend.database.write { tx in
            if column == "closed_at" {
                try tx.run("UPDATE account SET closed_at = \(value) WHERE id = \(person.id)")
            } else {
                try tx.run("UPDATE account SET suspended_at = \(value) WHERE id = \(person.id)")
            }
        }
    }

    @Test("a picture from before the server looked for positions is examined when it is first shared", arguments: StoragePair.allCases)
    func older(_ pair: StoragePair) async throws {
        try await TestServer.run(pair) { server in
            let ada = try await server.person()
            for (name, expected) in [("position-xmp.png", true), ("no-position.png", false)] {
                let content = try Self.bytes(name)
                let stored = try await upload(name, content, server, as: ada)
                let noted: @Sendable () async throws -> Bool? = {
                    try await server.backend.database.read { tx in
                        try tx.row("SELECT has_position FROM media WHERE id = \(stored.id)")?.get("has_position", as: Bool?.self)
                    }
                }
                #expect(try await noted() == expected)
                try await server.backend.database.write { tx in
                    try tx.run("UPDATE media SET has_position = NULL WHERE id = \(stored.id)")
                }
                let answer = try await server.send("GET", stored.shared)
                #expect(answer.status == 200 && (answer.body == content) == !expected, "\(name)")
                #expect(try await noted() == expected)
            }
        }
    }

    @Test(
        "a picture whose metadata cannot be removed with certainty is encoded again; one that cannot be decoded either is 404",
        arguments: StoragePair.allCases)
    func fallback(_ pair: StoragePair) async throws {
        try await TestServer.run(pair) { server in
            let ada = try await server.person()
            // This box belongs in films and could contain anything, so the server cannot remove the metadata with certainty.
            let film = Data([0, 0, 0, 8]) + Data("moov".utf8)
            let unusual = try await upload("a.heic", Self.bytes("position-exif.heic") + film, server, as: ada)
            let answer = try await server.send("GET", unusual.shared)
            #expect(answer.status == 200 && answer.header("Content-Type") == "image/jpeg", "\(answer.text.prefix(200))")
            let look = try DecodedImage([UInt8](answer.body), "jpg")
            #expect(look.isUpright && (look.width, look.height) == (96, 64))
            for trace in Self.traces { #expect(answer.body.range(of: Data(trace.utf8)) == nil) }

            // No pixel of this picture can be decoded.
            var broken = try Self.bytes("position-uuid.heic") + film
            let pixels = try #require(broken.range(of: Data("mdat".utf8)))
            let length = broken[pixels.lowerBound - 4..<pixels.lowerBound].reduce(0) { $0 << 8 | Int($1) }
            broken.resetBytes(in: pixels.upperBound..<pixels.lowerBound - 4 + length)
            let lost = try await upload("b.heic", broken, server, as: ada)
            #expect(try await server.send("GET", lost.shared).status == 404)
            #expect(try await server.send("GET", lost.original).body == broken)
        }
    }

    @Test("twenty requests at once get one copy, made once", arguments: StoragePair.allCases)
    func once(_ pair: StoragePair) async throws {
        try await TestServer.run(pair) { server in
            let ada = try await server.person()
            let stored = try await upload("a.jpg", Self.bytes("position-exif.jpg"), server, as: ada)
            let tags = try await withThrowingTaskGroup(of: String?.self) { group in
                for _ in 0..<20 { group.addTask { try await server.send("GET", stored.shared).header("ETag") } }
                return try await group.reduce(into: Set<String?>()) { $0.insert($1) }
            }
            #expect(tags.count == 1 && tags.first != .some(nil))
            #expect(await server.backend.media.variants.madeCount == 1)
        }
    }
}
