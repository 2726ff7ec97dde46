import Blobs
import Database
import Foundation
import KeepsakeWire
import TestKit
import Testing

@testable import FeatureTestKit
@testable import keepsake

@Suite("POST …/profile-picture/swift")
struct UploadProfilePictureTests {
    private func send(_ body: MultipartBody, _ server: TestServer, as person: TestServer.Person) async throws -> TestServer.Answer {
        try await server.upload(body, to: "/api/users/user/\(person.id)/profile-picture/swift", as: person)
    }

    @Test(
        "JPEG, PNG, WebP and HEIC are accepted, and the response is the document's", arguments: StoragePair.allCases)
    func taken(_ pair: StoragePair) async throws {
        try await TestServer.run(pair) { server in
            let ada = try await server.person()
            for fixture in ["photo.jpg", "palette.png", "lossy.webp", "libheif.heic"] {
                let picture = try Fixture.data(fixture)
                let answer = try await send(.file("profile_picture.jpg", picture), server, as: ada)
                #expect(answer.status == 200, "\(fixture)")
                let json = try answer.json()
                #expect(Set(json.keys) == ["success", "message", "imageUrl"], "\(fixture)")
                #expect(json["success"] as? Bool == true && json["message"] as? String == "Profile picture updated successfully")
                let link = try #require(json["imageUrl"] as? String)
                #expect(try await server.send("GET", link).status == 200, "\(fixture)")
                let list = try await server.send("GET", "/api/users/user/\(ada.id)/multimedia", as: ada)
                let file = try #require(try list.decode(MediaListResponse.self).files.first)
                #expect(try await server.send("GET", file.url).body == picture, "\(fixture)")
            }
        }
    }

    @Test("the links to a profile picture reveal no position, also those that its owner gets", arguments: StoragePair.allCases)
    func position(_ pair: StoragePair) async throws {
        try await TestServer.run(pair) { server in
            let ada = try await server.person()
            let photo = try Fixture.data("photo.jpg")
            let trace = Data("Test Camera".utf8)
            #expect(photo.range(of: trace) != nil)
            let link = try await send(.file("me.jpg", photo), server, as: ada).decode(ProfilePictureResponse.self).imageUrl
            let me = try await server.send("GET", "/user/me", as: ada).json()
            #expect(me["profile_picture_url"] as? String == link)
            // An app may publish the link. This photo's metadata contains a position, so the server removes all of the metadata.
            let shown = try await server.send("GET", link)
            #expect(shown.status == 200 && shown.header("Content-Type") == "image/jpeg")
            #expect(shown.body != photo && shown.body.range(of: trace) == nil)
            // A picture without a position arrives as it was sent.
            let plain = try Fixture.data("alpha.png")
            let other = try await send(.file("me.png", plain), server, as: ada).decode(ProfilePictureResponse.self).imageUrl
            #expect(try await server.send("GET", other).body == plain)
        }
    }

    @Test("eight concurrent uploads are all answered, and one picture is left", arguments: StoragePair.allCases)
    func atOnce(_ pair: StoragePair) async throws {
        try await TestServer.run(pair) { server in
            let ada = try await server.person()
            let pictures = try ["photo.jpg", "palette.png", "lossy.webp", "alpha.png"].map(Fixture.data)
            let statuses = try await withThrowingTaskGroup(of: Int.self) { group in
                for number in 0..<8 {
                    group.addTask { try await send(.file("me", pictures[number % 4]), server, as: ada).status }
                }
                return try await group.reduce(into: []) { $0.append($1) }
            }
            #expect(statuses == [Int](repeating: 200, count: 8))
            let left: Int? = try await server.backend.database.read { tx in
                try tx.row("SELECT COUNT(*) AS n FROM media WHERE owner = \(ada.id)")?.get("n")
            }
            #expect(left == 1)
            #expect(try await server.backend.audit.run().problems.isEmpty)
        }
    }

    @Test("other types are 422", arguments: StoragePair.allCases)
    func refused(_ pair: StoragePair) async throws {
        try await TestServer.run(pair) { server in
            let ada = try await server.person()
            for fixture in ["animated89a.gif", "mp42.mp4", "voice.m4a"] {
                let answer = try await send(.file("me.jpg", try Fixture.data(fixture)), server, as: ada)
                #expect(answer.status == 422, "\(fixture)")
                #expect(try answer.json()["code"] as? Int == 422, "\(fixture)")
                #expect(try await server.storedFileCount() == 0, "\(fixture)")
            }
        }
    }

    @Test("10 MB are accepted; one byte more is 413 and the previous picture stays", arguments: StoragePair.allCases)
    func size(_ pair: StoragePair) async throws {
        try await TestServer.run(pair) { server in
            let ada = try await server.person()
            // A JPEG may have any bytes after its end, so the test fills the photo up with zeros.
            let photo = try Fixture.data("photo.jpg")
            let limit = 10 * 1_048_576
            #expect(try await send(.file("a.jpg", photo + Data(count: limit - photo.count)), server, as: ada).status == 200)
            let larger = try await send(.file("a.jpg", photo + Data(count: limit - photo.count + 1)), server, as: ada)
            // The response does not have the code of a used-up quota.
            #expect(larger.status == 413 && larger.header("Error-Code") == nil)
            #expect(try await server.storedFileCount() == 1)
        }
    }

    @Test("two files or none are 400", arguments: StoragePair.allCases)
    func count(_ pair: StoragePair) async throws {
        try await TestServer.run(pair) { server in
            let ada = try await server.person()
            var two = MultipartBody()
            two.add("file", fileName: "a.jpg", try Fixture.data("photo.jpg"))
            two.add("file", fileName: "b.jpg", try Fixture.data("photo.jpg"))
            two.close()
            #expect(try await send(two, server, as: ada).status == 400)
            var none = MultipartBody()
            none.add("title", "me")
            none.close()
            #expect(try await send(none, server, as: ada).status == 400)
            #expect(try await server.storedFileCount() == 0)
        }
    }

    @Test("a new picture replaces the previous one, whose link is then 404", arguments: StoragePair.allCases)
    func replaced(_ pair: StoragePair) async throws {
        try await TestServer.run(pair) { server in
            let ada = try await server.person()
            let first = try await send(.file("a.jpg", try Fixture.data("photo.jpg")), server, as: ada).decode(ProfilePictureResponse.self)
            let second = try await send(.file("b.png", try Fixture.data("palette.png")), server, as: ada).decode(
                ProfilePictureResponse.self)
            #expect(try await server.send("GET", first.imageUrl).status == 404)
            #expect(try await server.send("GET", second.imageUrl).status == 200)
            let list = try await server.send("GET", "/api/users/user/\(ada.id)/multimedia?category=profile", as: ada)
            #expect(try list.decode(MediaListResponse.self).files.count == 1)
        }
    }
}
