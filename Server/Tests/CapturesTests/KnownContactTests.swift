import Database
import Foundation
import KeepsakeWire
import TestKit
import TestThreads
import Testing

@testable import FeatureTestKit
@testable import keepsake

@Suite("Known contacts", .blocksThreads)
struct KnownContactTests {
    private func take(_ words: [(id: String, words: String)], _ server: TestServer, _ ada: TestServer.Person) async throws {
        let client = try CaptureClient(server, ada)
        for (index, item) in words.enumerated() { try client.take(item.id, at: "2026-05-01T08:\(10 + index):00Z", item.words) }
        for (id, _) in words { _ = try await server.processed(id, as: ada) }
    }

    private func decoded(_ answer: TestServer.Answer) throws -> KnownContact {
        try #require(answer.status == 200, "\(answer.text)")
        return try Surface.captures.makeDecoder().decode(KnownContact.self, from: answer.body)
    }

    @Test("captures make contacts, in any case; the user's edits win", arguments: StoragePair.allCases)
    func edits(_ pair: StoragePair) async throws {
        try await TestServer.run(pair) { server in
            let ada = try await server.person()
            try await take([("a", "Just met with John."), ("b", "Lunch with John in the park."), ("c", "Maria called me.")], server, ada)
            var contacts = try await server.contacts(as: ada)
            #expect(contacts.map(\.name) == ["Maria", "John"], "the last seen first")
            let john = try #require(contacts.last)
            #expect(john.mentionCount == 2 && john.firstSeen < john.lastSeen)
            #expect(try await server.captures("?contact=\(john.id)", as: ada).items.map(\.id) == ["b", "a"])

            func changes() async throws -> Int {
                try await server.send("GET", "/events?since=0&wait=0", as: ada).text.components(separatedBy: "contact.changed").count - 1
            }
            #expect(try await server.sendJSON("PATCH", "/contacts/known/\(john.id)", [:], as: ada).status == 200)
            #expect(try await changes() == 0, "an edit without a value emits no event")
            #expect(try await server.uploadCapture("a", "photo.jpg", as: ada).status == 200)
            _ = try await server.processed("a", as: ada)
            let edited = try decoded(
                try await server.sendJSON(
                    "PATCH", "/contacts/known/\(john.id)",
                    ["name": "Johnny", "relationship": "colleague", "notes": "Likes tea.", "bestFacePhoto": "a"], as: ada))
            #expect(edited.name == "Johnny" && edited.relationship == "colleague" && edited.notes == "Likes tea.")
            #expect(edited.bestFacePhotoURL?.contains("/a/photo.jpg") == true)
            #expect(try await changes() == 1)
            let same = ["name": "Johnny", "notes": "Likes tea."]
            #expect(try await server.sendJSON("PATCH", "/contacts/known/\(john.id)", same, as: ada).status == 200)
            #expect(try await changes() == 1, "an edit with the values that the contact has emits none")
            try await take([("d", "Just met with John.")], server, ada)
            contacts = try await server.contacts(as: ada)
            #expect(contacts.first { $0.id == john.id }?.mentionCount == 3, "the old name leads to it")
            let taken = try await server.sendJSON("PATCH", "/contacts/known/\(john.id)", ["name": "maria"], as: ada)
            #expect(taken.status == 409)
            for (body, field) in [(["name": ""], "name"), (["bestFacePhoto": "c"], "bestFacePhoto"), (["notes": "a\u{0}b"], "notes")] {
                let answer = try await server.sendJSON("PATCH", "/contacts/known/\(john.id)", body, as: ada)
                #expect(answer.status == 400 && answer.text.contains(field), "\(answer.text)")
            }
            let eve = try await server.person("eve")
            #expect(try await server.sendJSON("PATCH", "/contacts/known/\(john.id)", ["name": "x"], as: eve).status == 404)
            #expect(try await server.captures("?contact=\(john.id)", as: ada).items.count == 3)
            let others = try await server.send("GET", "/captures?contact=\(john.id)", as: eve)
            #expect(others.status == 404 && others.header("Error-Field") == "contact", "\(others.text)")
        }
    }

    @Test("merged names keep leading to their contact; a deleted name is not taken up again", arguments: Engine.allCases)
    func merging(_ engine: Engine) async throws {
        try await TestServer.run(engine) { server in
            let ada = try await server.person()
            try await take([("a", "Just met with John."), ("b", "Maria called me."), ("c", "Maria met with John.")], server, ada)
            let contacts = try await server.contacts(as: ada)
            let john = try #require(contacts.first { $0.name == "John" })
            let maria = try #require(contacts.first { $0.name == "Maria" })
            let merged = try decoded(
                try await server.sendJSON("POST", "/contacts/known/\(john.id)/merge", ["into": maria.id], as: ada))
            #expect(merged.id == maria.id && merged.mentionCount == 3)
            let unknown = try await server.sendJSON("POST", "/contacts/known/\(maria.id)/merge", ["into": "nobody"], as: ada)
            #expect(unknown.status == 404 && unknown.header("Error-Field") == "into", "\(unknown.text)")
            #expect(try await server.contacts(as: ada).map(\.id) == [maria.id])
            try await take([("d", "Lunch with John.")], server, ada)
            #expect(try await server.contacts(as: ada).first?.mentionCount == 4)
            let itself = try await server.sendJSON("POST", "/contacts/known/\(maria.id)/merge", ["into": john.id], as: ada)
            #expect(itself.status == 400, "the merged one stands for the other")

            #expect(try await server.send("DELETE", "/contacts/known/\(maria.id)", as: ada).status == 200)
            try await take([("e", "Just met with John and Maria.")], server, ada)
            #expect(try await server.contacts(as: ada).isEmpty)
            #expect(try await server.send("DELETE", "/contacts/known/\(maria.id)", as: ada).status == 404)
            try await server.settle()
            _ = try await server.checkedUsage(of: ada)
        }
    }

    @Test("a split gives captures to another person, and a later analysis keeps it so", arguments: Engine.allCases)
    func splitting(_ engine: Engine) async throws {
        try await TestServer.run(engine) { server in
            let ada = try await server.person()
            try await take([("a", "Just met with John."), ("b", "Lunch with John.")], server, ada)
            let john = try #require(try await server.contacts(as: ada).first)
            let body: [String: Any] = ["captureIds": ["b", "none"], "name": "John Smith"]
            let first = try await server.sendJSON("POST", "/contacts/known/\(john.id)/split", body, as: ada, key: "k")
            let smith = try decoded(first)
            #expect(smith.id != john.id && smith.name == "John Smith" && smith.mentionCount == 1)
            let again = try await server.sendJSON("POST", "/contacts/known/\(john.id)/split", body, as: ada, key: "k")
            #expect(again.text == first.text)
            #expect(try await server.sendJSON("PATCH", "/captures/b", ["transcription": "Long lunch with John."], as: ada).status == 200)
            _ = try await server.processed("b", as: ada)
            #expect(try await server.captures("?contact=\(smith.id)", as: ada).items.map(\.id) == ["b"])
            #expect(try await server.captures("?contact=\(john.id)", as: ada).items.map(\.id) == ["a"])
            let wrong = try await server.sendJSON(
                "POST", "/contacts/known/\(john.id)/split", ["captureIds": ["b"], "name": "X"], as: ada)
            #expect(wrong.status == 400)
        }
    }
}
