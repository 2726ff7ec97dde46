import Core
import Foundation
import KeepsakeWire
import TestKit
import Testing

@testable import FeatureTestKit
@testable import keepsake

@Suite("POST …/multimedia/swift")
struct UploadMediaTests {
    @Test("uploading a JPEG answers as the document shows, and its link loads without a credential", arguments: StoragePair.allCases)
    func oneFile(_ pair: StoragePair) async throws {
        try await TestServer.run(pair) { server in
            let ada = try await server.person()
            let photo = try Fixture.data("photo.jpg")
            var body = MultipartBody()
            body.add("file", fileName: "mood_image0.jpg", photo)
            body.add("category", "mood")
            body.add("title", " At the sea ")
            body.close()
            let answer = try await server.upload(body, as: ada)
            #expect(answer.status == 200)
            #expect(answer.header("Content-Type") == "application/json; charset=utf-8")
            let json = try answer.json()
            #expect(Set(json.keys) == ["success", "files", "errors", "groupId", "count"])
            #expect(json["success"] as? Bool == true)
            #expect(json["errors"] is NSNull && json["groupId"] is NSNull)
            #expect(json["count"] as? Int == 1)
            let file = try #require(try answer.decode(UploadResponse.self).files.first).data
            #expect(file.key == file.fileId)
            #expect(file.name == "mood_image0.jpg" && file.size == photo.count && file.type == "image/jpeg")
            #expect(file.appUrl == "\(server.url)/api/users/user/\(ada.id)/multimedia/files/\(file.fileId)")
            #expect(file.url.hasPrefix(file.appUrl + "?expires="))
            let served = try await server.send("GET", file.url)
            #expect(served.status == 200 && served.body == photo)
        }
    }

    @Test(
        "several files get a new group, also if all but one are refused; a group that the request names is returned",
        arguments: StoragePair.allCases)
    func groups(_ pair: StoragePair) async throws {
        try await TestServer.run(pair) { server in
            let ada = try await server.person()
            var two = MultipartBody()
            two.add("image", fileName: "a.png", try Fixture.data("palette.png"))
            two.add("file", fileName: "b.jpg", try Fixture.data("photo.jpg"))
            two.close()
            let made = try await server.upload(two, as: ada).decode(UploadResponse.self)
            #expect(made.count == 2 && made.groupId != nil)
            #expect(made.files.map(\.data.name) == ["a.png", "b.jpg"])

            var named = MultipartBody()
            named.add("file", fileName: "b.jpg", try Fixture.data("photo.jpg"))
            named.add("groupId", "trip-7")  // a field after the file it belongs to
            named.close()
            #expect(try await server.upload(named, as: ada).decode(UploadResponse.self).groupId == "trip-7")

            // A request with several files gets a group id, even if the server refuses some of them.
            var half = MultipartBody()
            half.add("file", fileName: "film.mov", Data("not a film".utf8))
            half.add("file", fileName: "b.jpg", try Fixture.data("photo.jpg"))
            half.close()
            let kept = try await server.upload(half, as: ada).decode(UploadResponse.self)
            #expect(kept.count == 1 && kept.groupId != nil && kept.groupId != made.groupId)
            #expect(kept.files.first?.data.groupId == kept.groupId)
        }
    }

    @Test("every allowed format is accepted, whatever its name and declared type", arguments: StoragePair.allCases)
    func formats(_ pair: StoragePair) async throws {
        try await TestServer.run(pair) { server in
            let ada = try await server.person()
            for (fixture, type) in [
                ("photo.jpg", "image/jpeg"), ("palette.png", "image/png"), ("lossy.webp", "image/webp"), ("animated89a.gif", "image/gif"),
                ("libheif.heic", "image/heic"), ("mp42.mp4", "video/mp4"), ("branded.mov", "video/quicktime"),
            ] {
                var body = MultipartBody()
                body.add("file", fileName: "lie.txt", type: "text/plain", try Fixture.data(fixture))
                body.close()
                let answer = try await server.upload(body, as: ada)
                #expect(answer.status == 200, "\(fixture)")
                #expect(try answer.decode(UploadResponse.self).files.first?.data.type == type, "\(fixture)")
            }
        }
    }

    @Test("content of any other type is 422 and leaves nothing", arguments: StoragePair.allCases)
    func wrongType(_ pair: StoragePair) async throws {
        try await TestServer.run(pair) { server in
            let ada = try await server.person()
            for content in [
                Data("<svg xmlns='http://www.w3.org/2000/svg'/>".utf8), Data("%PDF-1.7\n".utf8), Data(), Data([0xFF, 0xD8, 0xFF]),
                Data("hello, I am a photo".utf8),
            ] {
                let answer = try await server.upload(.file("photo.jpg", content), as: ada)
                #expect(answer.status == 422)
                let json = try answer.json()
                #expect(json["code"] as? Int == 422 && json["error"] as? String == "Unprocessable Entity")
                #expect((json["details"] as? String)?.isEmpty == false)
                #expect(try await server.storedFileCount() == 0)
                let list = try await server.send("GET", "/api/users/user/\(ada.id)/multimedia", as: ada)
                #expect(try list.decode(MediaListResponse.self).files.isEmpty)
            }
        }
    }

    @Test("a general upload refuses audio", arguments: StoragePair.allCases)
    func sound(_ pair: StoragePair) async throws {
        try await TestServer.run(pair) { server in
            let answer = try await server.upload(.file("a.m4a", try Fixture.data("voice.m4a")), as: server.person())
            #expect(answer.status == 422)
        }
    }

    @Test("the response has the time and the labels of each file, as the library has them", arguments: StoragePair.allCases)
    func labels(_ pair: StoragePair) async throws {
        try await TestServer.run(pair) { server in
            let ada = try await server.person()
            for fields in [
                [:], ["title": "Sea", "description": "At dawn", "tags": "lake, sun,lake", "category": "travel", "takenAt": "946728000"],
            ] as [[String: String]] {
                var body = MultipartBody()
                for (name, value) in fields { body.add(name, value) }
                body.add("file", fileName: "a.jpg", try Fixture.data("exif-first.jpg"))
                body.add("file", fileName: "b.mp4", try Fixture.data("moov-first.mp4"))
                body.close()
                let upload = try await server.upload(body, as: ada).decode(UploadResponse.self)
                #expect(upload.files.count == 2)
                for file in upload.files.map(\.data) {
                    let read = try await server.send("GET", "/api/users/user/\(ada.id)/multimedia/\(file.fileId)", as: ada)
                    #expect(file == FileData(try read.decode(MediaResponse.self).file), "\(file)")
                    #expect(
                        file.createdAt != nil && file.groupId == upload.groupId && file.tags == (fields.isEmpty ? [] : ["lake", "sun"]))
                    #expect(file.title == fields["title"] && file.description == fields["description"])
                    #expect(file.category == fields["category"] ?? "general")
                    if !fields.isEmpty { #expect(file.takenAt == 946_728_000_000) }
                }
            }
        }
    }

    @Test("accepted files are stored and refused ones are reported by name", arguments: StoragePair.allCases)
    func someRefused(_ pair: StoragePair) async throws {
        try await TestServer.run(pair) { server in
            let ada = try await server.person()
            var body = MultipartBody()
            body.add("file", fileName: "a.jpg", try Fixture.data("photo.jpg"))
            body.add("file", fileName: "b.jpg", Data("not a picture".utf8))
            body.add("file", fileName: "c.mp4", Film.bytes(50 * 1_048_576 + 1))
            body.add("file", fileName: "d.png", try Fixture.data("palette.png"))
            body.close()
            let answer = try await server.upload(body, as: ada)
            #expect(answer.status == 200)
            let upload = try answer.decode(UploadResponse.self)
            #expect(upload.success && upload.count == 2)
            #expect(upload.files.map(\.data.name) == ["a.jpg", "d.png"])
            #expect(upload.errors?.count == 2)
            #expect(upload.errors?[0].hasPrefix("b.jpg: ") == true && upload.errors?[1].hasPrefix("c.mp4: ") == true)
            // `refused` says the same in a form for programs.
            let refused = try #require(upload.refused)
            #expect(refused.map(\.index) == [1, 2] && refused.map(\.name) == ["b.jpg", "c.mp4"] && refused.map(\.code) == [422, 413])
            #expect(refused.map(\.error) == ["Unprocessable Entity", "Payload Too Large"] && refused.allSatisfy { $0.field == "file" })
            for (line, file) in zip(upload.errors ?? [], refused) { #expect(line.contains(file.details)) }
            #expect(try await server.storedFileCount() == 2)
        }
    }

    @Test("a file of exactly 50 MB is accepted; one byte more is 413 and leaves nothing", arguments: StoragePair.allCases)
    func sizeLimit(_ pair: StoragePair) async throws {
        try await TestServer.run(pair) { server in
            let ada = try await server.person()
            #expect(try await server.upload(.file("a.mp4", Film.bytes(50 * 1_048_576)), as: ada).status == 200)
            #expect(try await server.storedFileCount() == 1)
            let refused = try await server.upload(.file("a.mp4", Film.bytes(50 * 1_048_576 + 1)), as: ada)
            #expect(refused.status == 413)
            #expect(try refused.json()["code"] as? Int == 413 && refused.text.contains("larger than 50 MB"))
            #expect(try await server.storedFileCount() == 1)
        }
    }

    @Test("ten files are accepted; eleven are 400 and nothing is stored", arguments: StoragePair.allCases)
    func fileCount(_ pair: StoragePair) async throws {
        try await TestServer.run(pair) { server in
            let ada = try await server.person()
            for (count, status, kept) in [(10, 200, 1), (11, 400, 1)] {
                var body = MultipartBody()
                for index in 0..<count { body.add("file", fileName: "\(index).png", try Fixture.data("palette.png")) }
                body.close()
                #expect(try await server.upload(body, as: ada).status == status)
                // The same bytes of one owner are stored once.
                #expect(try await server.storedFileCount() == kept)
            }
        }
    }

    @Test("an upload without a file is 400, and the error names the field", arguments: ["", "photo"], StoragePair.allCases)
    func noFile(field: String, _ pair: StoragePair) async throws {
        try await TestServer.run(pair) { server in
            let ada = try await server.person()
            var body = MultipartBody()
            body.add("category", "general")
            if !field.isEmpty { body.add(field, fileName: "a.jpg", try Fixture.data("photo.jpg")) }
            body.add("file", fileName: "", Data())  // a browser's form with nothing chosen
            body.close()
            let answer = try await server.upload(body, as: ada)
            #expect(answer.status == 400)
            #expect((try answer.json()["details"] as? String)?.contains("file") == true)
        }
    }

    private static let badValues: [(String, Data)] = [
        ("category", letters(65)), ("title", letters(201)), ("description", letters(5_001)), ("tags", letters(65)),
        ("groupId", letters(129)), ("takenAt", Data("yesterday".utf8)), ("takenAt", Data("1e300".utf8)), ("takenAt", Data("nan".utf8)),
        ("title", Data([0xFF, 0xFE])), ("title", Data("a\u{0}b".utf8)), ("description", letters(70_000)),
    ]
    private static func letters(_ count: Int) -> Data { Data(repeating: 0x61, count: count) }

    @Test("a field that is too long or not UTF-8 is 400, and nothing is stored", arguments: StoragePair.allCases)
    func badFields(_ pair: StoragePair) async throws {
        try await TestServer.run(pair) { server in
            let ada = try await server.person()
            for (field, value) in Self.badValues {
                let boundary = "xyz"
                var body = Data()
                body.append(Data("--xyz\r\nContent-Disposition: form-data; name=\"\(field)\"\r\n\r\n".utf8))
                body.append(value)
                body.append(Data("\r\n--xyz\r\nContent-Disposition: form-data; name=\"file\"; filename=\"a.jpg\"\r\n\r\n".utf8))
                body.append(try Fixture.data("photo.jpg"))
                body.append(Data("\r\n--xyz--\r\n".utf8))
                let answer = try await server.send(
                    "POST", "/api/users/user/\(ada.id)/multimedia/swift", as: ada,
                    headers: [("Content-Type", "multipart/form-data; boundary=\(boundary)")], body: body)
                #expect(answer.status == 400, "\(field)")
                #expect((try answer.json()["details"] as? String)?.contains(field) == true)
                #expect(try await server.storedFileCount() == 0, "\(field)")
            }
        }
    }

    @Test("a body that is cut off, is not multipart or has no boundary is 400 and leaves nothing", arguments: StoragePair.allCases)
    func malformed(_ pair: StoragePair) async throws {
        try await TestServer.run(pair) { server in
            let ada = try await server.person()
            let good = MultipartBody.file("a.jpg", try Fixture.data("photo.jpg"))
            for (type, data) in [
                (good.contentType, Data(good.data.dropLast(20))), ("application/json", good.data), ("multipart/form-data", good.data),
                ("multipart/form-data; boundary=\(String(repeating: "b", count: 71))", good.data),
            ] {
                let answer = try await server.send(
                    "POST", "/api/users/user/\(ada.id)/multimedia/swift", as: ada, headers: [("Content-Type", type)], body: data)
                #expect(answer.status == 400)
            }
            #expect(try await server.storedFileCount() == 0)
        }
    }

    @Test("tags are trimmed; empty and repeated ones are dropped", arguments: StoragePair.allCases)
    func tags(_ pair: StoragePair) async throws {
        try await TestServer.run(pair) { server in
            let ada = try await server.person()
            var body = MultipartBody()
            body.add("tags", " sea, ,sun,sea,")
            body.add("file", fileName: "a.jpg", try Fixture.data("photo.jpg"))
            body.close()
            let id = try #require(try await server.upload(body, as: ada).decode(UploadResponse.self).files.first).data.fileId
            let item = try await server.send("GET", "/api/users/user/\(ada.id)/multimedia/\(id)", as: ada).decode(MediaResponse.self).file
            #expect(item.tags == ["sea", "sun"] && item.category == "general" && item.title == nil)
            #expect(item.createdAt == Int(server.clock.now.milliseconds))
        }
    }

    @Test("an upload can say when its files were taken, which counts instead of their metadata", arguments: StoragePair.allCases)
    func takenAt(_ pair: StoragePair) async throws {
        try await TestServer.run(pair) { server in
            let ada = try await server.person()
            func times(_ takenAt: String?) async throws -> [Int?] {
                var body = MultipartBody()
                body.add("file", fileName: "a.jpg", try Fixture.data("photo.jpg"))
                if let takenAt { body.add("takenAt", takenAt) }
                body.add("file", fileName: "b.png", try Fixture.data("palette.png"))
                body.close()
                var times: [Int?] = []
                for file in try await server.upload(body, as: ada).decode(UploadResponse.self).files {
                    let path = "/api/users/user/\(ada.id)/multimedia/\(file.data.fileId)"
                    times.append(try await server.send("GET", path, as: ada).decode(MediaResponse.self).file.takenAt)
                }
                return times
            }
            #expect(try await times("1600000000.123") == [1_600_000_000_123, 1_600_000_000_123])
            #expect(try await times("1600000000456") == [1_600_000_000_456, 1_600_000_000_456])
            #expect(try await times("-86400") == [-86_400_000, -86_400_000])
            for nothing in [nil, " "] { #expect(try await times(nothing) == [1_749_918_612_000, nil]) }
            // The timeline shows the files at that time.
            let timeline = try await server.send(
                "GET", "/api/users/user/\(ada.id)/timeline?from=2020-09-13&to=2020-09-13", as: ada)
            #expect(try timeline.decode(TimelineResponse.self).items.count == 4)
        }
    }

    @Test("an upload that exceeds the quota is 413, names the quota, and leaves nothing", arguments: StoragePair.allCases)
    func quota(_ pair: StoragePair) async throws {
        try await TestServer.run(pair) {
            $0.quotaByteCount = 1_048_576
        } _: { server in
            let ada = try await server.person()
            #expect(try await server.upload(.file("a.mp4", Film.bytes(900_000)), as: ada).status == 200)
            let answer = try await server.upload(.file("b.mp4", Film.bytes(900_001)), as: ada)
            #expect(answer.status == 413)
            #expect((try answer.json()["details"] as? String)?.contains("quota") == true)
            #expect(try await server.storedFileCount() == 1)
            // Deleting a file frees its quota.
            let list = try await server.send("GET", "/api/users/user/\(ada.id)/multimedia", as: ada).decode(MediaListResponse.self)
            #expect(try await server.send("DELETE", "/api/users/user/\(ada.id)/multimedia/\(list.files[0].fileId)", as: ada).status == 200)
            #expect(try await server.upload(.file("b.mp4", Film.bytes(900_001)), as: ada).status == 200)
        }
    }

    @Test("sixteen concurrent uploads never exceed the quota", arguments: StoragePair.allCases)
    func racingQuota(_ pair: StoragePair) async throws {
        try await TestServer.run(pair) {
            $0.quotaByteCount = 1_048_576
        } _: { server in
            let ada = try await server.person()
            let taken = try await withThrowingTaskGroup(of: Int.self) { group in
                for index in 0..<16 {
                    group.addTask { try await server.upload(.file("\(index).mp4", Film.bytes(200_000 + index)), as: ada).status }
                }
                return try await group.reduce(0) { $0 + ($1 == 200 ? 1 : 0) }
            }
            #expect(taken == 5)
            #expect(try await server.storedFileCount() == 5)
        }
    }
}
