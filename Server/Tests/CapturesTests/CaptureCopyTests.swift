import Foundation
import KeepsakeWire
import TestKit
import TestThreads
import Testing

@testable import FeatureTestKit
@testable import keepsake

@Suite("Smaller copies of captures' photos", .blocksThreads)
struct CaptureCopyTests {
    @Test("a link gives the photo in any size, without metadata; without a size it gives the original", arguments: StoragePair.allCases)
    func sizes(_ pair: StoragePair) async throws {
        try await TestServer.run(pair) { server in
            let (ada, eve) = (try await server.person(), try await server.person("eve"))
            let url = try #require(try await server.uploadCapture("a", "photo.jpg", as: ada).json()["url"] as? String)
            for (format, name) in [("jpeg", "photo.jpg"), ("webp", "photo.webp")] {
                let small = try await server.send("GET", "\(url)&w=200&h=256&format=\(format)")
                #expect(small.status == 200 && small.header("Content-Type") == "image/\(format)", "\(small.text.prefix(200))")
                #expect(small.header("Content-Disposition")?.contains(name) == true)
                #expect(small.body.range(of: Data("Exif".utf8)) == nil)
                let look = try DecodedImage([UInt8](small.body), format)
                #expect((look.width, look.height) == (192, 256))
            }
            let sent = try Fixture.data("photo.jpg")
            #expect(try await server.send("GET", url).body == sent)

            let path = "/raw-media/\(ada.id)/memories/a/photo.jpg"
            #expect(try await server.send("GET", path + "?w=64", as: ada).status == 200)
            #expect(try await server.send("GET", path + "?w=64", as: eve).status == 403)
            #expect(try await server.send("GET", path + "?w=64").status == 401)
            for wrong in ["w=0", "w=2049", "q=80", "w=64&fit=cover", "w=64&format=gif"] {
                #expect(try await server.send("GET", "\(path)?\(wrong)", as: ada).status == 400, "\(wrong)")
            }
            #expect(try await server.uploadCapture("a", "voice.m4a", as: ada).status == 200)
            #expect(try await server.send("GET", "/raw-media/\(ada.id)/memories/a/audio.m4a?w=64", as: ada).status == 422)

            try CaptureClient(server, ada).take("a", at: "2026-05-01T08:05:00Z")
            #expect(try await server.send("DELETE", "/captures/a", as: ada).status == 200)
            #expect(try await server.send("GET", "\(url)&w=200&h=256&format=jpeg").status == 404)
        }
    }

    @Test(
        "a photo that replaces another one has another link on the same day, and links that were given out before lead to it",
        arguments: StoragePair.allCases)
    func replaced(_ pair: StoragePair) async throws {
        try await TestServer.run(pair) { server in
            let ada = try await server.person()
            let first = try #require(try await server.uploadCapture("a", "photo.jpg", as: ada).json()["url"] as? String)
            try CaptureClient(server, ada).take("a", at: "2026-05-01T08:05:00Z")
            #expect(try await server.capture("a", as: ada).photoURL == first)
            // The second photo has the same format, so its path is the same.
            let second = try #require(try await server.uploadCapture("a", "baseline.jpg", as: ada).json()["url"] as? String)
            let paths = [first, second].map { $0.split(separator: "?")[0] }
            #expect(second != first && paths[0] == paths[1])
            #expect(try await server.capture("a", as: ada).photoURL == second)
            // The links of earlier releases have no `version`.
            let plain = try #require(first.range(of: "&version=")).lowerBound
            let sent = try Fixture.data("baseline.jpg")
            for link in [second, first, String(first[..<plain])] {
                let answer = try await server.send("GET", link)
                #expect(answer.status == 200 && answer.body == sent, "\(link)")
            }
            #expect(try await server.send("GET", second + "&w=64").status == 200)

            var questions: [String] = []
            for name in ["photo.jpg", "baseline.jpg"] {
                let answer = try await server.upload(.file(name, try Fixture.data(name)), to: "/query-upload/q", as: ada)
                questions.append(try #require(try answer.json()["url"] as? String))
            }
            #expect(questions[0] != questions[1])
        }
    }

    @Test("a profile picture, a photo of the profile and a cover that replace others have other links", arguments: StoragePair.allCases)
    func otherPictures(_ pair: StoragePair) async throws {
        try await TestServer.run(pair) { server in
            let ada = try await server.person()
            let pictures = try ["photo.jpg", "baseline.jpg"].map { try Fixture.data($0) }
            let coded = pictures.map { $0.base64EncodedString() }
            var own: [String] = []
            for picture in pictures {
                let form = MultipartBody.file("a.jpg", picture)
                let answer = try await server.upload(form, to: "/api/users/user/\(ada.id)/profile-picture/swift", as: ada)
                own.append(try #require(try answer.json()["imageUrl"] as? String))
            }
            #expect(Set(own).count == 2)

            let added = try await server.sendJSON("POST", "/userImage", ["base64Image": coded[0], "isProfilePic": false], as: ada).json()
            let photo = try #require(added["photo"] as? [String: Any])
            let id = try #require(photo["id"] as? String)
            let changed = try await server.sendJSON("POST", "/userImageUpdate", ["photoId": id, "data": coded[1]], as: ada).json()
            let link = (changed["photo"] as? [String: Any])?["url"] as? String
            #expect(link != nil && link != photo["url"] as? String)

            let fields = ["name": "Swimmers", "location": "Lake Garda", "coverPhoto": coded[0]]
            let made = try await server.sendJSON("POST", "/create-cove", fields, as: ada).json()
            let cove = try #require((made["cove"] as? [String: Any])?["id"] as? String)
            func cover() async throws -> String? {
                let read = try await server.send("GET", "/cove?coveId=\(cove)", as: ada).json()["cove"] as? [String: Any]
                return (read?["coverPhoto"] as? [String: Any])?["url"] as? String
            }
            let before = try await cover()
            let edited = try await server.sendJSON("POST", "/edit-cove", ["coveId": cove, "coverPhoto": coded[1]], as: ada)
            #expect(edited.status == 200, "\(edited.text)")
            let after = try await cover()
            #expect(before != nil && after != nil && before != after)
        }
    }
}
