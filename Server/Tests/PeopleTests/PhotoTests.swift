import Blobs
import Core
import Database
import Foundation
import KeepsakeWire
import TestKit
import Testing

@testable import FeatureTestKit
@testable import People
@testable import keepsake

@Suite("Photos of profiles")
struct PhotoTests {
    private func photos(of person: TestServer.Person? = nil, _ server: TestServer, as viewer: TestServer.Person) async throws
        -> [ProfilePhoto]
    {
        let answer = try await server.profile(of: person, as: viewer)
        return try Surface.coves.makeDecoder().decode(ProfileResponse.self, from: answer.body).profile.photos
    }

    private func fileCount(_ person: TestServer.Person, _ server: TestServer) async throws -> Int? {
        try await server.backend.database.read { tx in
            try tx.row("SELECT COUNT(*) AS n FROM media WHERE owner = \(person.id)")?.get("n")
        }
    }

    @Test(
        "photos arrive as the published client sends them, and the profile shows them in the order of upload",
        arguments: StoragePair.allCases)
    func client(_ pair: StoragePair) async throws {
        try await TestServer.runWithFirebase(pair) { server, standIn async throws in
            let ada = try server.firebasePerson("ada-uid", standIn)
            let bob = try server.firebasePerson("bob-uid", standIn)
            let first = try await server.addPhoto("photo.jpg", as: ada)
            #expect(first.status == 200, "\(first.text)")
            let json = try first.json()
            let photo = try #require(json["photo"] as? [String: Any])
            #expect(Set(json.keys) == ["message", "photo"] && json["message"] as? String == "The photo was added.")
            #expect(Set(photo.keys) == ["id", "url", "isProfilePic"] && photo["isProfilePic"] as? Bool == false)
            // The second request has `data` in place of `base64Image`, and the third one a `data:` prefix.
            server.clock.advance(by: .seconds(1))
            let second = try await server.addPhoto("lossy.webp", isProfilePic: true, member: "data", as: ada).decode(PhotoResponse.self)
            server.clock.advance(by: .seconds(1))
            let prefixed = "data:image/heic;base64," + (try Fixture.data("libheif.heic").base64EncodedString())
            let third = try await server.sendJSON(
                "POST", "/userImage", ["isProfilePic": false, "base64Image": prefixed], as: ada
            ).decode(PhotoResponse.self)
            let shown = try await photos(of: ada, server, as: bob)
            #expect(shown.map(\.id) == [try #require(photo["id"] as? String), second.photo.id, third.photo.id])
            #expect(shown.map(\.isProfilePic) == [false, true, false])
            #expect(try await photos(server, as: ada) == shown)
            // The links need no credential.
            for (photo, fixture) in zip(shown, ["photo.jpg", "lossy.webp", "libheif.heic"]) {
                let file = try await server.send("GET", photo.url)
                #expect(file.status == 200, "\(fixture): \(file.status)")
                let sent = try Fixture.data(fixture)
                if fixture == "lossy.webp" { #expect(file.body == sent) }
            }
        }
    }

    @Test("a new profile picture replaces the previous one, also one that surface 0 uploaded", arguments: StoragePair.allCases)
    func profilePicture(_ pair: StoragePair) async throws {
        try await TestServer.run(pair) { server in
            let ada = try await server.person()
            let other = try await server.addPhoto("photo.jpg", as: ada).decode(PhotoResponse.self).photo
            server.clock.advance(by: .seconds(1))
            let picture = "/api/users/user/\(ada.id)/profile-picture/swift"
            #expect(try await server.upload(.file("a.png", try Fixture.data("palette.png")), to: picture, as: ada).status == 200)
            var shown = try await photos(server, as: ada)
            #expect(shown.map(\.isProfilePic) == [false, true] && shown[0].id == other.id)
            let old = shown[1]

            server.clock.advance(by: .seconds(1))
            let new = try await server.addPhoto("alpha.png", isProfilePic: true, as: ada).decode(PhotoResponse.self).photo
            shown = try await photos(server, as: ada)
            #expect(shown.map(\.id) == [other.id, new.id] && shown.map(\.isProfilePic) == [false, true])
            #expect(try await server.send("GET", old.url).status == 404)
            #expect(try await fileCount(ada, server) == 2)

            server.clock.advance(by: .seconds(1))
            #expect(try await server.upload(.file("a.png", try Fixture.data("palette.png")), to: picture, as: ada).status == 200)
            shown = try await photos(server, as: ada)
            #expect(shown.count == 2 && shown[1].isProfilePic && shown[1].id != new.id)
            #expect(try await fileCount(ada, server) == 2)
            _ = try await server.checkedUsage(of: ada)
            #expect(try await server.backend.audit.run().problems.isEmpty)
        }
    }

    @Test("a replaced photo keeps its id, its place and whether it is the profile picture", arguments: StoragePair.allCases)
    func replace(_ pair: StoragePair) async throws {
        try await TestServer.run(pair) { server in
            let (ada, eve) = (try await server.person(), try await server.person("eve"))
            let picture = "/api/users/user/\(ada.id)/profile-picture/swift"
            #expect(try await server.upload(.file("a.png", try Fixture.data("palette.png")), to: picture, as: ada).status == 200)
            server.clock.advance(by: .seconds(1))
            #expect(try await server.addPhoto("photo.jpg", as: ada).status == 200)
            server.clock.advance(by: .seconds(1))
            #expect(try await server.addPhoto("lossy.webp", as: ada).status == 200)
            let before = try await photos(server, as: ada)
            #expect(before.map(\.isProfilePic) == [true, false, false])
            for number in 0..<2 {
                let answer = try await server.replacePhoto(before[number].id, "alpha.png", as: ada)
                #expect(answer.status == 200, "\(answer.text)")
                let photo = try answer.decode(PhotoResponse.self).photo
                #expect(try answer.json()["message"] as? String == "The photo was replaced.")
                #expect(photo.id == before[number].id && photo.isProfilePic == before[number].isProfilePic)
                #expect(photo.url != before[number].url)
                #expect(try await server.send("GET", before[number].url).status == 404)
                let sent = try Fixture.data("alpha.png")
                #expect(try await server.send("GET", photo.url).body == sent)
            }
            let after = try await photos(server, as: ada)
            #expect(after.map(\.id) == before.map(\.id) && after.map(\.isProfilePic) == before.map(\.isProfilePic))
            #expect(after[2] == before[2])
            // A photo that does not exist, or is somebody else's, is 404 and leaves no file.
            let count = try await server.storedFileCount()
            #expect(try await server.replacePhoto(before[0].id, "alpha.png", as: eve).status == 404)
            let unknown = try await server.replacePhoto("nothing", "alpha.png", as: ada)
            #expect(unknown.status == 404 && unknown.header("Error-Field") == "photoId")
            #expect(try await server.storedFileCount() == count)
            for person in [ada, eve] { _ = try await server.checkedUsage(of: person) }
            #expect(try await server.backend.audit.run().problems.isEmpty)
        }
    }

    @Test(
        "a deleted photo is gone with its file, and one deleted from the library is gone from the profile", arguments: StoragePair.allCases)
    func delete(_ pair: StoragePair) async throws {
        try await TestServer.run(pair) { server in
            let (ada, eve) = (try await server.person(), try await server.person("eve"))
            #expect(try await server.addPhoto("photo.jpg", as: ada).status == 200)
            #expect(try await server.addPhoto("palette.png", isProfilePic: true, as: ada).status == 200)
            #expect(try await server.addPhoto("lossy.webp", as: ada).status == 200)
            let shown = try await photos(server, as: ada)
            for photo in shown {
                #expect(try await server.sendJSON("POST", "/delete-photo", ["photoId": photo.id], as: eve).status == 404)
            }
            for (number, photo) in shown.prefix(2).enumerated() {
                let answer = try await server.sendJSON("POST", "/delete-photo", ["photoId": " \(photo.id)\n"], as: ada)
                #expect(answer.status == 200 && answer.text == #"{"message":"The photo was deleted."}"#)
                #expect(try await server.sendJSON("POST", "/delete-photo", ["photoId": photo.id], as: ada).status == 404)
                #expect(try await server.send("GET", photo.url).status == 404)
                #expect(try await photos(server, as: ada) == Array(shown.dropFirst(number + 1)))
            }
            let files = try await server.send("GET", server.moments(ada, "multimedia"), as: ada).decode(MediaListResponse.self).files
            #expect(files.count == 1)
            #expect(try await server.send("DELETE", server.moments(ada, "multimedia/\(files[0].fileId)"), as: ada).status == 200)
            #expect(try await photos(server, as: ada) == [])
            _ = try await server.checkedUsage(of: ada)
        }
    }

    @Test("what is not a picture, not base64, missing or sent twice is 400 and leaves no file", arguments: StoragePair.allCases)
    func refused(_ pair: StoragePair) async throws {
        try await TestServer.run(pair) { server in
            let ada = try await server.person()
            let picture = try Fixture.data("palette.png").base64EncodedString()
            let gif = try Fixture.data("animated89a.gif").base64EncodedString()
            for (path, needed) in [("/userImage", "base64Image"), ("/userImageUpdate", "data")] {
                for body in [
                    ["photoId": "x"], ["photoId": "x", "data": gif], ["photoId": "x", "data": "!!!"], ["photoId": "x", "data": 1],
                    ["photoId": "x", "data": picture, "base64Image": picture], ["photoId": 1, "isProfilePic": "yes", "data": picture],
                ] as [[String: any Sendable]] {
                    let answer = try await server.sendJSON("POST", path, body, as: ada)
                    #expect(answer.status == 400, "\(path) \(body.keys): \(answer.text)")
                    #expect(try Set(answer.json().keys) == ["message"])
                    if body.count == 1 { #expect(answer.text.contains(needed), "\(answer.text)") }
                }
                let text = try await server.send(
                    "POST", path, as: ada, headers: [("Content-Type", "application/json")], body: Data("[]".utf8))
                #expect(text.status == 400)
                let nobody = try await server.send(
                    "POST", path, headers: [("Content-Type", "application/json")], body: Data("{}".utf8))
                #expect(nobody.status == 401)
                #expect(try await server.send("GET", path, as: ada).status == 405)
            }
            let large = try Fixture.data("photo.jpg") + Data(count: 10 * 1_048_576)
            let tooLarge = try await server.sendJSON("POST", "/userImage", ["data": large.base64EncodedString()], as: ada)
            #expect(tooLarge.status == 413, "\(tooLarge.text)")
            for body in [[:], ["photoId": 1], ["photoId": NSNull()]] as [[String: any Sendable]] {
                #expect(try await server.sendJSON("POST", "/delete-photo", body, as: ada).status == 400)
            }
            #expect(try await server.send("POST", "/delete-photo", body: Data("{}".utf8)).status == 401)
            #expect(try await server.send("GET", "/delete-photo", as: ada).status == 405)
            #expect(try await server.storedFileCount() == 0)
            _ = try await server.checkedUsage(of: ada)
        }
    }

    @Test("a profile has at most 30 photos beside its picture", arguments: StoragePair.allCases)
    func bound(_ pair: StoragePair) async throws {
        try await TestServer.run(pair) { server in
            let ada = try await server.person()
            #expect(try await server.addPhoto("palette.png", as: ada).status == 200)
            // Adds 29 more photos, whose rows share the file of the first one.
            let now = server.clock.now
            try await server.backend.database.write { tx in
                for number in 0..<29 {
                    let id = "copy-\(number)"
                    try tx.run(
                        """
                        INSERT INTO media (id, owner, blob, name, type, sha256, byte_count, category, tags, created_at)
                        SELECT \(id), owner, blob, name, type, sha256, 0, category, tags, \(now) FROM media
                        WHERE owner = \(ada.id) AND byte_count > 0
                        """)
                    try tx.run("INSERT INTO profile_photo (account, id, media) VALUES (\(ada.id), \(id), \(id))")
                }
            }
            let full = try await server.addPhoto("alpha.png", as: ada)
            #expect(full.status == 409 && full.text.contains("30"), "\(full.text)")
            #expect(try await server.storedFileCount() == 1)
            #expect(try await server.addPhoto("alpha.png", isProfilePic: true, as: ada).status == 200)
            #expect(try await photos(server, as: ada).count == 31)
            #expect(try await server.sendJSON("POST", "/delete-photo", ["photoId": "copy-0"], as: ada).status == 200)
            #expect(try await server.addPhoto("lossy.webp", as: ada).status == 200)
        }
    }

    @Test("concurrent uploads, replacements and deletions leave one profile picture and the right usage", arguments: StoragePair.allCases)
    func race(_ pair: StoragePair) async throws {
        try await TestServer.run(pair) { server in
            let ada = try await server.person()
            let first = try await server.addPhoto("photo.jpg", isProfilePic: true, as: ada).decode(PhotoResponse.self).photo
            let path = "/api/users/user/\(ada.id)/profile-picture/swift"
            let pictures = ["palette.png", "lossy.webp", "alpha.png"]
            let statuses = try await withThrowingTaskGroup(of: Int.self) { group in
                for number in 0..<12 {
                    let fixture = pictures[number % 3]
                    group.addTask {
                        switch number % 4 {
                        case 0: try await server.addPhoto(fixture, isProfilePic: true, as: ada).status
                        case 1: try await server.upload(.file("a", try Fixture.data(fixture)), to: path, as: ada).status
                        case 2: try await server.replacePhoto(first.id, fixture, as: ada).status
                        default: try await server.sendJSON("POST", "/delete-photo", ["photoId": first.id], as: ada).status
                        }
                    }
                }
                return try await group.reduce(into: Set<Int>()) { $0.insert($1) }
            }
            #expect(statuses.isSubset(of: [200, 404]), "\(statuses)")
            let shown = try await photos(server, as: ada)
            #expect(shown.count { $0.isProfilePic } <= 1)
            #expect(try await fileCount(ada, server) == shown.count)
            _ = try await server.checkedUsage(of: ada)
            #expect(try await server.backend.audit.run().problems.isEmpty)
        }
    }

    @Test("an account at its quota can still change its profile picture, but not add a photo", arguments: StoragePair.allCases)
    func quota(_ pair: StoragePair) async throws {
        let size = Int64(try Fixture.data("photo.jpg").count)
        try await TestServer.run(pair) {
            $0.quotaByteCount = 2 * size - 1
        } _: { server in
            let ada = try await server.person()
            let first = try await server.addPhoto("photo.jpg", isProfilePic: true, as: ada)
            #expect(first.status == 200, "\(first.text)")
            #expect(try await server.addPhoto("photo.jpg", as: ada).status == 413)
            let second = try await server.addPhoto("photo.jpg", isProfilePic: true, as: ada)
            #expect(second.status == 200, "\(second.text)")
            let id = try second.decode(PhotoResponse.self).photo.id
            #expect(try await server.replacePhoto(id, "photo.jpg", as: ada).status == 200)
            _ = try await server.checkedUsage(of: ada)
        }
    }
}
