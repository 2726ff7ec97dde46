import Foundation
import TestKit
import TestThreads
import Testing

@testable import FeatureTestKit
@testable import keepsake

@Suite("Positions in the pictures of people, coves and events", .blocksThreads)
struct PicturePositionTests {
    private static let folder = RealFile.folder.appending(path: "../PlatformTests/Media/Fixtures")
    private static let names = ["jpg", "png", "webp", "heic"].flatMap {
        ["position-exif.\($0)", "position-xmp.\($0)", "no-position.\($0)"]
    }

    @Test(
        "others see profile pictures and covers without their position, unchanged to the pixel, and those without one byte for byte",
        arguments: StoragePair.allCases)
    func pictures(_ pair: StoragePair) async throws {
        try await TestServer.run(pair) { server in
            let (ada, eve) = (try await server.person(), try await server.person("eve"))
            try await server.onboard("Ada", as: ada)
            // The worker that removes positions uses no store, so only one pair tests all formats.
            for name in pair == .embedded ? Self.names : Self.names.filter({ $0.hasSuffix(".jpg") }) {
                let content = try Data(contentsOf: Self.folder.appending(path: name))
                var links = try await Self.show(content, server, as: ada, to: eve)
                #expect(links.count == 3)
                if name.hasSuffix("heic") {
                    // Others get a profile picture in HEIC as JPEG.
                    let picture = try await server.send("GET", links.removeFirst())
                    #expect(picture.header("Content-Type") == "image/jpeg", "\(name)")
                    for trace in ["GPS", "52,31", "Keepsake"] {
                        #expect(picture.body.range(of: Data(trace.utf8)) == nil, "\(name): \(trace)")
                    }
                }
                var bodies: Set<Data> = []
                for link in links {
                    // The request has no credential, like that of an image view.
                    let answer = try await server.send("GET", link)
                    #expect(answer.status == 200 && link.contains("/multimedia/shared/"), "\(name): \(link)")
                    bodies.insert(answer.body)
                }
                let served = try #require(bodies.first)
                #expect(bodies.count == 1, "\(name)")
                #expect((served == content) == name.hasPrefix("no-position"), "\(name)")
                if served == content { continue }
                for trace in ["GPS", "52,31", "Keepsake"] { #expect(served.range(of: Data(trace.utf8)) == nil, "\(name): \(trace)") }
                let suffix = String(name[name.index(after: name.lastIndex(of: ".")!)...])
                #expect(try DecodedImage([UInt8](served), suffix).pixels == DecodedImage([UInt8](content), suffix).pixels, "\(name)")
                let upright = try await server.send("GET", "\(links[0])&w=128&format=webp&q=95")
                #expect(try DecodedImage([UInt8](upright.body), "webp").isUpright, "\(name)")
            }
        }
    }

    /// Makes the picture `person`'s profile picture and the cover of a new cove and a new event.
    /// - Returns: the links to it that others get.
    private static func show(
        _ picture: Data, _ server: TestServer, as person: TestServer.Person, to other: TestServer.Person
    ) async throws -> [String] {
        let text = picture.base64EncodedString()
        let photo = try await server.sendJSON("POST", "/userImage", ["base64Image": text, "isProfilePic": true], as: person)
        #expect(photo.status == 200, "\(photo.text)")
        let profile = try await server.send("GET", "/profile?userId=\(person.id)", as: other)
        let photos = object(try profile.json()["profile"])["photos"] as? [[String: Any]]

        let cove = object(
            try await server.sendJSON("POST", "/create-cove", ["name": "Chess", "location": "Here", "coverPhoto": text], as: person).json()[
                "cove"])
        let id = try #require(cove["id"] as? String)
        #expect(try await server.sendJSON("POST", "/join-cove", ["coveId": id], as: other).status == 200)
        let read = try await server.send("GET", "/cove?coveId=\(id)", as: other)

        let event = object(
            try await server.sendJSON(
                "POST", "/create-event",
                ["coveId": id, "name": "Final", "location": "Here", "date": "2026-08-01T10:00:00Z", "coverPhoto": text], as: person
            ).json()["event"])
        let shown = try await server.send("GET", "/event?eventId=\(try #require(event["id"] as? String))", as: other)
        return [
            photos?.first?["url"], object(object(try read.json()["cove"])["coverPhoto"])["url"],
            object(object(try shown.json()["event"])["coverPhoto"])["url"],
        ].compactMap { $0 as? String }
    }

    private static func object(_ value: Any?) -> [String: Any] { value as? [String: Any] ?? [:] }
}
