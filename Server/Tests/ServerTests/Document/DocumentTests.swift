import Foundation
import KeepsakeWire
import TestKit
import Testing

@testable import FeatureTestKit
@testable import keepsake

/// Runs each example of the multimedia document exactly as it is printed, and compares the responses with the document's samples.
@Suite("The multimedia document")
struct DocumentTests {
    private static func anonymous(_ settings: inout Settings) { settings.allowsAnonymous = true }

    private func golden(_ name: String) throws -> JSONValue {
        let folder = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "Golden")
        return try JSONDecoder().decode(JSONValue.self, from: Data(contentsOf: folder.appending(path: name)))
    }

    /// The differences between `answer` and the sample. Additional keys are allowed. A value that only the server knows (an id, a link, a
    /// size) must have the sample's type; all other values must be equal.
    private func differences(_ sample: JSONValue, _ answer: JSONValue, madeUp: Set<String>, at path: String = "") -> [String] {
        switch (sample, answer) {
        case (.object(let sample), .object(let answer)):
            return sample.keys.sorted().flatMap { key in
                guard let value = answer[key] else { return ["\(path).\(key) is missing"] }
                return differences(sample[key]!, value, madeUp: madeUp, at: "\(path).\(key)")
            }
        case (.array(let sample), .array(let answer)):
            guard sample.count == answer.count else { return ["\(path) has \(answer.count) entries, not \(sample.count)"] }
            return zip(sample, answer).enumerated().flatMap { index, pair in
                differences(pair.0, pair.1, madeUp: madeUp, at: path + "[]")
            }
        case (.string, .string(let text)) where madeUp.contains(path): return text.isEmpty ? ["\(path) is empty"] : []
        case (.integer, .integer) where madeUp.contains(path): return []
        case (.number, .number) where madeUp.contains(path): return []
        default: return sample == answer ? [] : ["\(path) is \(answer), not \(sample)"]
        }
    }

    private func photo() throws -> Data { try Fixture.data("photo.jpg") }

    @Test("section 1: a general upload is answered in the form of the document's models and sample", arguments: StoragePair.allCases)
    func upload(_ pair: StoragePair) async throws {
        try await TestServer.run(pair, Self.anonymous) { server in
            let client = DocumentClient(base: server.url)
            let several = try await client.uploadToConvexMultimedia(images: [photo(), Fixture.data("baseline.jpg")], title: "Sea")
            let answer = try JSONDecoder().decode(Document.UploadResponse.self, from: several)
            #expect(answer.success && answer.count == 2 && answer.errors == nil && answer.groupId != nil)
            #expect(answer.files.map(\.data.name) == ["image0.jpg", "image1.jpg"])

            // This is the document's sample: one file of a group.
            var body = MultipartBody()
            body.add("file", fileName: "mood_image0.jpg", try photo())
            body.add("groupId", "mood_group_xyz")
            body.close()
            let one = try await server.send(
                "POST", "/api/users/user/123/multimedia/swift", headers: [("Content-Type", body.contentType)], body: body.data)
            let json = try one.decode(JSONValue.self)
            let madeUp: Set = [
                ".files[].data.url", ".files[].data.key", ".files[].data.appUrl", ".files[].data.fileId", ".files[].data.size",
            ]
            #expect(differences(try golden("upload-response.json"), json, madeUp: madeUp) == [])
            let file = try one.decode(Document.UploadResponse.self).files[0].data
            #expect(file.appUrl == "\(server.url)/api/users/user/123/multimedia/files/\(file.fileId)" && file.key == file.fileId)
            #expect(try await server.send("GET", file.url).status == 200)
        }
    }

    @Test("section 2: a mood with images", arguments: StoragePair.allCases)
    func mood(_ pair: StoragePair) async throws {
        try await TestServer.run(pair, Self.anonymous) { server in
            let data = try await DocumentClient(base: server.url).createMoodWithImages(
                mood: "happy", note: "Great day!", reason: "Good weather", tags: ["sunny", "productive"], interests: ["photography"],
                moodIntensity: 8, createdAt: 1_640_995_200, images: [photo()])
            let json = try JSONDecoder().decode(JSONValue.self, from: data)
            #expect(differences(try golden("mood-response.json"), json, madeUp: [".mood.id", ".imageUrls[]"]) == [])
            let answer = try JSONDecoder().decode(Document.MoodResponse.self, from: data)
            let link = try #require(answer.imageUrls?.first)
            #expect(link.hasPrefix("\(server.url)/api/users/user/123/multimedia/files/"))
            let sent = try photo()
            #expect(try await server.send("GET", link).body == sent)
        }
    }

    @Test("section 3: a memory with images", arguments: StoragePair.allCases)
    func memory(_ pair: StoragePair) async throws {
        try await TestServer.run(pair, Self.anonymous) { server in
            let data = try await DocumentClient(base: server.url).createMemoryWithImages(
                title: "The lake", description: "We swam.", location: "Bled", tags: ["summer", "2021"], images: [photo(), photo()])
            let answer = try JSONDecoder().decode(Document.MemoryResponse.self, from: data)
            #expect(answer.success && answer.memory.title == "The lake" && answer.memory.description == "We swam.")
            #expect(answer.memory.location == "Bled" && answer.memory.tags == ["summer", "2021"] && answer.imageUrls?.count == 2)
        }
    }

    @Test("section 4: a profile picture, and a second one that replaces it", arguments: StoragePair.allCases)
    func profilePicture(_ pair: StoragePair) async throws {
        try await TestServer.run(pair, Self.anonymous) { server in
            let client = DocumentClient(base: server.url)
            let data = try await client.uploadProfilePicture(image: photo())
            let json = try JSONDecoder().decode(JSONValue.self, from: data)
            #expect(differences(try golden("profile-picture-response.json"), json, madeUp: [".imageUrl"]) == [])
            let first = try JSONDecoder().decode(Document.ProfilePictureResponse.self, from: data)
            let second = try JSONDecoder().decode(
                Document.ProfilePictureResponse.self, from: await client.uploadProfilePicture(image: Fixture.data("baseline.jpg")))
            #expect(try await server.send("GET", first.imageUrl).status == 404)
            #expect(try await server.send("GET", second.imageUrl).status == 200)
        }
    }

    @Test("section 5: an event with images", arguments: StoragePair.allCases)
    func event(_ pair: StoragePair) async throws {
        try await TestServer.run(pair, Self.anonymous) { server in
            let data = try await DocumentClient(base: server.url).createEventWithImages(
                title: "New Year's Eve", date: Date(timeIntervalSince1970: 1_798_747_200), location: "Bled", tags: ["party"],
                images: [photo()])
            let answer = try JSONDecoder().decode(Document.EventResponse.self, from: data)
            #expect(answer.event.date == "2026-12-31T20:00:00.000Z" && answer.event.description == nil && answer.event.tags == ["party"])
            #expect(answer.imageUrls?.count == 1)
        }
    }

    @Test("section 6: a mood with a voice note, a WAV labelled M4A, is answered with its true duration", arguments: StoragePair.allCases)
    func voice(_ pair: StoragePair) async throws {
        try await TestServer.run(pair, Self.anonymous) { server in
            let sound = try Fixture.data("plain.wav")
            let data = try await DocumentClient(base: server.url).createMoodWithVoiceAndImages(
                mood: "calm", note: "Listen", voiceNote: ("mood_voice_1640995200.5.m4a", sound), voiceNoteDuration: 45.6, images: [photo()])
            let json = try JSONDecoder().decode(JSONValue.self, from: data)
            #expect(
                differences(try golden("voice-note-response.json"), json, madeUp: [".mood.voiceNote", ".mood.voiceNoteDuration"]) == [])
            let mood = try JSONDecoder().decode(Document.MoodResponse.self, from: data).mood
            let duration = try #require(mood.voiceNoteDuration)
            #expect(duration < 5 && duration > 0)
            let link = try #require(mood.voiceNote)
            let served = try await server.send("GET", link)
            #expect(served.body == sound && served.header("Content-Type") == "audio/wav")
            #expect(served.header("Accept-Ranges") == "bytes")
        }
    }

    @Test("section 9: every error has the sample's three keys and the code from the document's table", arguments: StoragePair.allCases)
    func errors(_ pair: StoragePair) async throws {
        try await TestServer.run(pair) { server in
            let ada = try await server.person()
            func answer(_ status: Int, _ answer: TestServer.Answer) throws {
                let json = try answer.decode(JSONValue.self)
                #expect(answer.status == status)
                #expect(differences(try golden("error-response.json"), json, madeUp: [".error", ".details", ".code"]) == [])
                guard case .object(let object) = json else { return }
                #expect(object["code"] == .integer(Int64(status)) && object.count == 3)
            }
            try answer(400, try await server.create("moods", [("note", "no mood")], as: ada))
            try answer(401, try await server.send("POST", server.moments(ada, "moods/swift"), body: Data("x".utf8)))
            var large = MultipartBody()
            large.add("file", fileName: "p.jpg", try photo() + Data(count: 10 * 1_048_576))
            large.close()
            try answer(413, try await server.upload(large, to: server.moments(ada, "profile-picture/swift"), as: ada))
            try answer(422, try await server.create("memories", [("title", "t")], files: [MomentFile(fixture: "voice.m4a")], as: ada))
        }
    }
}
