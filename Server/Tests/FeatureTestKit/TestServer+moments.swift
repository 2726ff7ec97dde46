import Foundation
import KeepsakeWire
import TestKit
import Testing

/// Paths and bodies for the tests of moments.
extension TestServer {
    func moments(_ person: Person, _ rest: String) -> String { "/api/users/user/\(person.id)/\(rest)" }

    func create(
        _ kind: String, _ fields: [(String, String)], files: [MomentFile] = [], as person: Person, key: String? = nil
    ) async throws -> Answer {
        var body = MultipartBody()
        for (name, value) in fields { body.add(name, value) }
        for file in files { body.add(file.field, fileName: file.name, type: file.type, try Fixture.data(file.fixture)) }
        body.close()
        return try await upload(body, to: moments(person, "\(kind)/swift"), as: person, key: key)
    }

    func mood(_ fields: [(String, String)], files: [MomentFile] = [], as person: Person) async throws -> MoodData {
        let answer = try await create("moods", fields, files: files, as: person)
        #expect(answer.status == 200, "\(answer.text)")
        return try answer.decode(MoodResponse.self).mood
    }
}

struct MomentFile: Sendable {
    var field = "file"
    var name = "mood_image0.jpg"
    var type = "image/jpeg"
    var fixture: String

    static let photo = MomentFile(fixture: "photo.jpg")
    static let voice = MomentFile(field: "voiceNote", name: "mood_voice_1.m4a", type: "audio/m4a", fixture: "voice.m4a")
}
