import Core
import Database
import Foundation
import KeepsakeWire
import TestKit
import Testing

@testable import FeatureTestKit
@testable import keepsake

@Suite("A page of moods")
struct MoodPageTests {
    @Test("a mood of a page, written while its row is read, is the same JSON as the mood alone", arguments: StoragePair.allCases)
    func same(_ pair: StoragePair) async throws {
        try await TestServer.run(pair) { server in
            let ada = try await server.person()
            // The moods have texts that need escapes, empty texts and missing ones; lists with and without escapes; files of both kinds and
            // no files.
            _ = try await server.mood([("mood", "calm")], as: ada)
            _ = try await server.mood(
                [
                    ("mood", "\"quoted\" \\ müde 🌊"), ("note", "two\nlines"), ("reason", "a/b"), ("tags", "a\"b,c\\d,ünï"),
                    ("interests", "music,hi\"king"), ("moodIntensity", "7"), ("category", "wörk"), ("groupId", "g1"),
                ], files: [.photo, .voice], as: ada)
            _ = try await server.mood(
                [("mood", "happy"), ("note", "plain"), ("tags", "sea,sun"), ("interests", "reading")], files: [.photo, .photo], as: ada)
            let page = try await server.send("GET", server.moments(ada, "moods"), as: ada)
            #expect(page.status == 200)
            let rows = try #require(try page.json()["moods"] as? [[String: Any]])
            let moods = try page.decode(MoodListResponse.self).moods
            #expect(moods.count == 3)
            for (row, mood) in zip(rows, moods) {
                let answer = try await server.send("GET", server.moments(ada, "moods/\(mood.id)"), as: ada)
                let alone = try #require(try answer.json()["mood"] as? [String: Any])
                #expect(NSDictionary(dictionary: row) == NSDictionary(dictionary: alone), "\(row)\n\(alone)")
                #expect(try answer.decode(MoodResponse.self).mood == mood)
            }
            // The files of an entry are named in the order of its links, the voice note last.
            let voiced = try #require(moods.first { $0.voiceNote != nil })
            #expect(voiced.files?.map(\.type) == ["image/jpeg", "audio/mp4"] && moods.first { $0.mood == "calm" }?.files == [])
            for (file, link) in zip(voiced.files ?? [], voiced.imageUrls + [try #require(voiced.voiceNote)]) {
                #expect(URL(string: link)?.lastPathComponent == file.id)
                let item = try await server.send("GET", server.moments(ada, "multimedia/\(file.id)"), as: ada).decode(MediaResponse.self)
                #expect(item.file.type == file.type)
            }
            // A link of the page works.
            let link = try #require(moods.first { !$0.imageUrls.isEmpty }?.imageUrls.first)
            let path = try #require(URLComponents(string: link).map { "\($0.percentEncodedPath)?\($0.percentEncodedQuery ?? "")" })
            #expect(try await server.send("GET", path).status == 200)
        }
    }

    @Test("an entry that a node of the last release stored or changed names no files", arguments: StoragePair.allCases)
    func unknownFiles(_ pair: StoragePair) async throws {
        try await TestServer.run(pair) { server in
            let ada = try await server.person()
            let (stored, changed) = (
                try await server.mood([("mood", "a")], files: [.photo, .voice], as: ada),
                try await server.mood([("mood", "b")], files: [.photo, .photo], as: ada)
            )
            let left = try #require(changed.files?.first).id
            try await server.backend.database.write { tx in
                try tx.run("UPDATE moment SET files = NULL WHERE id = \(stored.id)")
                try tx.run("UPDATE moment SET pictures = \(TextList.encode([left])) WHERE id = \(changed.id)")
            }
            let page = try await server.send("GET", server.moments(ada, "moods"), as: ada)
            for row in try #require(try page.json()["moods"] as? [[String: Any]]) {
                #expect(row["files"] == nil)
                let id = try #require(row["id"] as? String)
                let alone = try await server.send("GET", server.moments(ada, "moods/\(id)"), as: ada).json()["mood"] as? [String: Any]
                #expect(NSDictionary(dictionary: row) == NSDictionary(dictionary: alone ?? [:]))
            }
        }
    }
}
