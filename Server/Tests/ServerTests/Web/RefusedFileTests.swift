import Core
import Foundation
import KeepsakeWire
import TestKit
import Testing

@testable import FeatureTestKit
@testable import keepsake

@Suite("What the server says of files that it refuses")
struct RefusedFileTests {
    private static let types = "JPEG, PNG, WebP, GIF, HEIC, MP4 and MOV"

    private static func cutOff(_ type: String) -> String {
        "The file is cut off or damaged: it begins as \(type), but the rest does not fit."
    }

    @Test("empty, cut-off and mislabelled files are told apart, and the message names the accepted types")
    func reasons() async throws {
        try await TestServer.run(.sqlite) { server in
            let ada = try await server.person()
            let photo = try Fixture.data("photo.jpg")
            let unknown = "The content of `file` or `image` must be one of these, whatever the file's name says: \(Self.types)."
            for (content, message) in [
                (Data(), "The file is empty."), (Data("I am a photo".utf8), unknown), (Data("%PDF-1.7\n".utf8), unknown),
                (try Fixture.data("voice.m4a"), "The file is M4A. \(unknown)"),
                (photo.prefix(16), Self.cutOff("JPEG")), (try Fixture.data("moov-last.mp4").dropLast(100), Self.cutOff("MP4")),
            ] {
                let answer = try await server.upload(.file("photo.jpg", content), as: ada)
                let json = try answer.json()
                #expect(answer.status == 422 && (json["details"] as? String) == message, "\(content.count) bytes: \(json)")
            }
            // The first check reads only the beginning of the file. Only the decoder finds that the end is missing.
            let half = try await server.upload(.file("photo.jpg", photo.prefix(photo.count / 2)), as: ada)
            let details = try half.json()["details"] as? String
            #expect(half.status == 422 && details?.contains("damaged") == true, "\(half.text)")
            // A file of the same content is accepted under a wrong name: only the content counts.
            #expect(try await server.upload(.file("photo.txt", photo), as: ada).status == 200)
        }
    }

    @Test(
        "refused files of one request are listed with their place, since phones give several files the same name",
        arguments: StoragePair.allCases)
    func places(_ pair: StoragePair) async throws {
        try await TestServer.run(pair) { server in
            var body = MultipartBody()
            for content in [try Fixture.data("photo.jpg"), Data(), try Fixture.data("palette.png"), Data("no photo".utf8)] {
                body.add("file", fileName: "image.jpg", content)
            }
            body.close()
            let upload = try await server.upload(body, as: server.person()).decode(UploadResponse.self)
            #expect(upload.count == 2 && upload.errors?.count == 2)
            #expect(upload.errors?.first == "image.jpg: The file is empty. (file 2 of the request)")
            let last = try #require(upload.errors?.last)
            #expect(last.hasPrefix("image.jpg: The content of `file` or `image` must be") && last.hasSuffix(" (file 4 of the request)"))
        }
    }

    @Test("of several files that are all refused, and of an entry's, each message names its file", arguments: StoragePair.allCases)
    func named(_ pair: StoragePair) async throws {
        try await TestServer.run(pair) { server in
            let ada = try await server.person()
            var body = MultipartBody()
            for name in ["one.jpg", "two.jpg"] { body.add("file", fileName: name, Data("no photo".utf8)) }
            body.close()
            let both = try await server.upload(body, as: ada)
            #expect(both.status == 422 && both.text.contains("one.jpg: ") && both.text.contains("two.jpg: "), "\(both.text)")
            // `refused` is for programs. The other members are the same as in every error.
            let error = try both.decode(MultimediaErrorBody.self)
            let refused = try #require(error.refused)
            #expect(error.details.split(separator: "\n").map { $0.prefix(8) } == ["one.jpg:", "two.jpg:"], "one line a file")
            #expect(error.error == "Unprocessable Entity" && error.code == 422)
            #expect(refused.map(\.index) == [0, 1] && refused.map(\.name) == ["one.jpg", "two.jpg"] && refused.map(\.code) == [422, 422])
            #expect(refused.allSatisfy { $0.field == "file" && $0.details.hasPrefix("The content of `file` or `image` must be") })
            // An error about a single file has only the members that the document shows.
            let one = try await server.upload(.file("one.jpg", Data("no photo".utf8)), as: ada)
            #expect(Set(try one.json().keys) == ["error", "details", "code"])

            var entry = MultipartBody()
            entry.add("mood", "calm")
            entry.add("file", fileName: "good.jpg", try Fixture.data("photo.jpg"))
            entry.add("file", fileName: "bad.jpg", Data())
            entry.close()
            let mood = try await post("moods/swift", entry, server, ada)
            #expect(try mood.json()["details"] as? String == "bad.jpg: The file is empty. (file 2 of the request)", "\(mood.text)")
            try await expectNothing(of: ada, server)
        }
    }

    @Test("a file under a name that the route does not know is refused, and nothing is kept", arguments: StoragePair.allCases)
    func unknownField(_ pair: StoragePair) async throws {
        try await TestServer.run(pair) { server in
            let ada = try await server.person()
            let photo = try Fixture.data("photo.jpg")
            for (path, known) in [("multimedia/swift", "file, image"), ("moods/swift", "file, image, voiceNote")] {
                var body = MultipartBody()
                body.add("mood", "calm")
                body.add("file", fileName: "a.jpg", photo)
                body.add("photo", fileName: "b.jpg", photo)
                body.close()
                let answer = try await post(path, body, server, ada)
                #expect(answer.status == 400, "\(answer.text)")
                #expect(answer.text.contains("This field takes no file. Fields that take files: \(known)."), "\(answer.text)")
            }
            try await expectNothing(of: ada, server)
            // The server still ignores an empty file input of a form, and a field with a text.
            var body = MultipartBody()
            body.add("mood", "calm")
            body.add("photo", fileName: "", Data())
            body.add("colour", "blue")
            body.close()
            #expect(try await post("moods/swift", body, server, ada).status == 200)
        }
    }

    @Test("a file with an empty name is a file; only without bytes it is an input in which nothing was chosen")
    func emptyName() async throws {
        try await TestServer.run(.sqlite) { server in
            let ada = try await server.person()
            let photo = try Fixture.data("photo.jpg")
            var body = MultipartBody()
            body.add("mood", "calm")
            for (field, content) in [("image", Data()), ("file", photo), ("voiceNote", Data())] {
                body.add(field, fileName: "", content)
            }
            body.close()
            let mood = try await post("moods/swift", body, server, ada).decode(MoodResponse.self).mood
            #expect(mood.imageUrls.count == 1 && mood.voiceNote == nil)
            let link = try #require(mood.imageUrls.first)
            #expect(try await server.send("GET", link).body == photo)
            // The server checks the content of a file without a name, and counts the file, as it does for every file.
            for (files, status) in [([Data("no photo".utf8)], 422), (Array(repeating: photo, count: 11), 400)] {
                var form = MultipartBody()
                form.add("mood", "calm")
                for content in files { form.add("file", fileName: "", content) }
                form.close()
                #expect(try await post("moods/swift", form, server, ada).status == status)
            }
        }
    }

    @Test("the error names the field under which the refused file was sent", arguments: StoragePair.allCases)
    func sentField(_ pair: StoragePair) async throws {
        try await TestServer.run(pair) { server in
            let ada = try await server.person()
            for (path, field, words) in [
                ("multimedia/swift", "file", "`file` or `image`"), ("multimedia/swift", "image", "`file` or `image`"),
                ("profile-picture/swift", "image", "`file` or `image`"), ("moods/swift", "image", "`file` or `image`"),
                ("moods/swift", "voiceNote", "`voiceNote`"),
            ] {
                var body = MultipartBody()
                body.add("mood", "calm")
                body.add(field, fileName: "a.jpg", Data("no photo".utf8))
                body.close()
                let answer = try await post(path, body, server, ada)
                #expect(answer.status == 422 && answer.header("Error-Field") == field, "\(path) \(field): \(answer.text)")
                #expect(answer.text.contains("The content of \(words) must be"), "\(path) \(field): \(answer.text)")
            }
            for member in ["data", "base64Image"] {
                let answer = try await server.sendJSON(
                    "POST", "/userImage", [member: Data("no photo".utf8).base64EncodedString()], as: ada)
                #expect(answer.status == 400 && answer.header("Error-Field") == member, "\(member): \(answer.text)")
                #expect(answer.text.contains("The picture in `base64Image` or `data` must be"), "\(answer.text)")
            }
            try await expectNothing(of: ada, server)
        }
    }

    @Test("a list may be sent as several fields, up to the limit of one")
    func lists() async throws {
        try await TestServer.run(.sqlite) { server in
            let ada = try await server.person()
            func mood(_ tags: [String]) async throws -> TestServer.Answer {
                var body = MultipartBody()
                body.add("mood", "calm")
                body.add("mood", "not this one")
                for tag in tags { body.add("tags", tag) }
                body.close()
                return try await post("moods/swift", body, server, ada)
            }
            let kept = try await mood(["lake", "sun, sea", "lake"])
            let made = try kept.decode(MoodResponse.self).mood
            #expect(made.tags == ["lake", "sun", "sea"] && made.mood == "calm", "\(kept.text)")
            let long = try await mood([String(repeating: "a", count: 40_000), String(repeating: "b", count: 40_000)])
            #expect(long.status == 400 && long.text.contains("tags is longer than 65536 bytes"), "\(long.text)")
        }
    }

    @Test("a form is refused where a body must be JSON")
    func form() async throws {
        try await TestServer.run(.sqlite) { server in
            let ada = try await server.person()
            let mood = try await server.mood([("mood", "calm")], as: ada).id
            let body = MultipartBody.file("a.jpg", try Fixture.data("photo.jpg"))
            let answer = try await server.send(
                "PATCH", "/api/users/user/\(ada.id)/moods/\(mood)", as: ada, headers: [("Content-Type", body.contentType)], body: body.data)
            #expect(answer.status == 400 && answer.text.contains("takes no form and no files"), "\(answer.text)")
        }
    }

    private func post(_ path: String, _ body: MultipartBody, _ server: TestServer, _ person: TestServer.Person) async throws
        -> TestServer.Answer
    {
        try await server.send(
            "POST", "/api/users/user/\(person.id)/\(path)", as: person, headers: [("Content-Type", body.contentType)], body: body.data)
    }

    private func expectNothing(of person: TestServer.Person, _ server: TestServer) async throws {
        #expect(try await server.checkedUsage(of: person) == QuotaUsage())
        #expect(try await server.storedFileCount() == 0)
    }

    @Test("the quota's message has the used size, the limit, and the size that was asked for, all in MB", arguments: StoragePair.allCases)
    func quota(_ pair: StoragePair) async throws {
        try await TestServer.run(pair) {
            $0.quotaByteCount = 2_097_152
        } _: { server in
            let ada = try await server.person()
            #expect(try await server.upload(.file("a.mp4", Film.bytes(1_500_000)), as: ada).status == 200)
            // The server knows this size from `Content-Length`, and checks it before it reads the body. It subtracts the most that the rest
            // of the form can take.
            let announced = try await server.upload(.file("b.mp4", Film.bytes(1_500_000)), as: ada)
            let message = try #require(try announced.json()["details"] as? String)
            #expect(announced.status == 413 && announced.header("Error-Code") == "quota_exceeded")
            #expect(
                message == "Your quota of 2 MB does not suffice: 1.4 MB are used, and at least 1.3 MB more are needed. Nothing was kept.")
            // This file is so small that it exceeds the quota only together with its row.
            let small = try await server.upload(.file("c.mp4", Film.bytes(700_000)), as: ada)
            let text = try #require(try small.json()["details"] as? String)
            #expect(small.header("Error-Code") == "quota_exceeded")
            #expect(small.status == 413 && text.contains("1.4 MB are used, and at least 0.67 MB more are needed."), "\(text)")
        }
    }
}
