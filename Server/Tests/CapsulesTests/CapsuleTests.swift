import Core
import Database
import FeatureKit
import Foundation
import KeepsakeWire
import TestKit
import Testing

@testable import Capsules
@testable import FeatureTestKit
@testable import keepsake

@Suite("Capsules")
struct CapsuleTests {
    @Test(
        "a capsule is created, receives its recording by credential, and passes through every state to completed",
        arguments: StoragePair.allCases)
    func direct(_ pair: StoragePair) async throws {
        try await TestServer.run(pair) { server in
            let ada = try await server.person()
            let sound = try Fixture.data("plain.wav")
            let answer = try await server.createCapsule(
                ["duration": 30.5, "file_size": 122_880, "created_at": "2025-01-27T12:00:00.000000Z"], as: ada)
            let json = try answer.json()
            let shown = try #require(json["capsule"] as? [String: Any])
            #expect(shown["audio_url"] is NSNull && shown["transcription"] is NSNull && shown["metadata"] is NSNull)
            #expect(shown["status"] as? String == "uploading" && shown["duration"] as? Double == 30.5)
            #expect(shown["file_size"] as? Int == 122_880 && shown["user_id"] as? String == ada.id)
            #expect(shown["created_at"] as? String == "2025-01-27T12:00:00.000000Z")
            let id = try #require(shown["id"] as? String)

            // The server trims the texts of a form, also the id.
            let uploaded = try await server.uploadAudio(sound, to: id, named: " \(id)\n", as: ada)
            #expect(uploaded.status == 200, "\(uploaded.text)")
            #expect(try uploaded.json()["upload_url"] is NSNull)
            let kept = try uploaded.decode(CapsuleUpload.self).capsule
            // The server measures the size and the duration; it does not trust the request.
            #expect(kept.fileSize == sound.count && kept.duration > 0 && kept.duration < 10 && kept.status == .uploading)
            let link = try #require(kept.audioURL)
            #expect(try await server.send("GET", link).body == sound)
            // A retry after a lost response gets the same response.
            let again = try await server.uploadAudio(sound, to: id, as: ada)
            #expect(try again.decode(CapsuleUpload.self).capsule == kept)
            let other = try await server.uploadAudio(try Fixture.data("voice.m4a"), to: id, as: ada)
            #expect(other.status == 409)

            let completed = try await server.completeCapsule(id, as: ada)
            #expect(try completed.decode(Capsule.self).status == .processing)
            let done = try await server.settledCapsule(id, as: ada)
            #expect(done.status == .completed && done.transcription == nil && done.audioURL == link)
            let metadata = try #require(done.metadata)
            #expect(metadata.engine == "off" && metadata.words == [] && metadata.emotions == [] && metadata.summary == nil)
            let loud = metadata.waveform.filter { 0 < $0 && $0 <= 1 }
            let wrong = metadata.waveform.filter { !(0...1 ~= $0) }
            #expect(metadata.waveform.count == 200 && !loud.isEmpty && wrong == [])
            // A completed capsule never returns to an earlier state.
            let late = try await server.completeCapsule(id, "", as: ada)
            #expect(try late.decode(Capsule.self) == done)

            let events = try await server.capsuleEvents(as: ada)
            #expect(events.map(\.type) == ["capsule.created"] + Array(repeating: "capsule.updated", count: 3))
            let statuses = events.map { $0.data["status"] as? String }
            let ids = Set(events.map { $0.data["id"] as? String })
            #expect(statuses == ["uploading", "uploading", "processing", "completed"] && ids == [id])
            #expect(
                try await server.send("GET", server.moments(ada, "multimedia"), as: ada).decode(MediaListResponse.self).files.count == 1)
        }
    }

    @Test("the upload link accepts one recording of about the announced size, without a credential", arguments: StoragePair.allCases)
    func link(_ pair: StoragePair) async throws {
        try await TestServer.run(pair) { server in
            let ada = try await server.person()
            let sound = try Fixture.data("plain.wav")
            let made = try await server.makeCapsule(sound.count, as: ada)
            let link = try #require(made.uploadURL)
            #expect(link.hasPrefix(server.url + "/v0/capsules/\(made.capsule.id)/upload?"))
            // A link that was changed in any way is refused.
            let other = try await server.makeCapsule(sound.count, as: ada)
            for forged in [
                link.replacing(made.capsule.id, with: other.capsule.id), link.replacing("expires=1", with: "expires=2"),
                String(link.dropLast(4)) + "AAAA", String(link.prefix { $0 != "?" }), link.replacing("owner=", with: "owner=x"),
            ] {
                #expect(try await server.putAudio(sound, forged).status == 403, "\(forged)")
            }
            #expect(try await server.putAudio(sound, link, type: "text/html").status == 400)
            #expect(try await server.putAudio(sound + Data(repeating: 0, count: sound.count / 10), link).status == 413)
            #expect(try await server.putAudio(sound.prefix(sound.count * 9 / 10), link).status == 422)
            #expect(try await server.putAudio(Data(repeating: 7, count: sound.count), link).status == 422)
            #expect(try await server.storedFileCount() == 0)
            #expect(try await server.send("POST", link, body: sound).status == 405)

            let kept = try await server.putAudio(sound, link)
            #expect(kept.status == 200 && kept.text == "{}", "\(kept.text)")
            #expect(try await server.putAudio(sound, link).status == 200)
            // The link takes one upload: another recording of the same size is refused.
            var louder = sound
            louder[louder.count - 2] ^= 1
            #expect(try await server.putAudio(louder, link).status == 409)
            #expect(try await server.capsule(made.capsule.id, as: ada).fileSize == sound.count)
            #expect(try await server.storedFileCount() == 1)

            server.clock.advance(by: .seconds(3_601))
            let late = try await server.putAudio(sound, try #require(other.uploadURL))
            #expect(late.status == 403 && late.text.contains(#""error":"forbidden""#))
            // The access token has expired too.
            let again = try await server.person()
            #expect(try await server.capsule(other.capsule.id, as: again).audioURL == nil)
        }
    }

    @Test("an upload link stops working when the owner recovers the account", arguments: StoragePair.allCases)
    func recovered(_ pair: StoragePair) async throws {
        try await TestServer.run(pair) { server in
            let ada = try await server.person()
            let sound = try Fixture.data("plain.wav")
            let before = try #require(try await server.makeCapsule(sound.count, as: ada).uploadURL)
            server.clock.advance(by: .seconds(10))
            try await server.backend.database.write { [now = server.clock.now] tx in
                try tx.run("UPDATE account SET recovered_at = \(now) WHERE id = \(ada.id)")
            }
            server.clock.advance(by: .seconds(10))
            let after = try #require(try await server.makeCapsule(sound.count, as: ada).uploadURL)
            #expect(try await server.putAudio(sound, before).status == 404)
            #expect(try await server.putAudio(sound, after).status == 200)
        }
    }

    @Test(
        "a recording that is deleted through the library before complete can be uploaded again, in both ways",
        arguments: StoragePair.allCases)
    func uploadedAgain(_ pair: StoragePair) async throws {
        try await TestServer.run(pair) { server in
            let ada = try await server.person()
            let sound = try Fixture.data("plain.wav")
            let made = try await server.makeCapsule(sound.count, as: ada)
            let (id, link) = (made.capsule.id, try #require(made.uploadURL))
            func deleteRecording() async throws {
                let files = try await server.send("GET", server.moments(ada, "multimedia"), as: ada).decode(MediaListResponse.self).files
                let file = try #require(files.first)
                let answer = try await server.send("DELETE", server.moments(ada, "multimedia/\(file.fileId)"), as: ada)
                #expect(answer.status == 200 && files.count == 1)
                #expect(try await server.completeCapsule(id, as: ada).status == 409)
            }
            #expect(try await server.putAudio(sound, link).status == 200)
            try await deleteRecording()
            #expect(try await server.putAudio(sound, link).status == 200)
            try await deleteRecording()
            let again = try await server.uploadAudio(sound, to: id, as: ada)
            #expect(try again.decode(CapsuleUpload.self).capsule.audioURL != nil)
            #expect(try await server.completeCapsule(id, as: ada).status == 200)
            // Once its processing has begun, the capsule takes no other recording.
            let done = try await server.settledCapsule(id, as: ada)
            #expect(done.status == .completed && done.audioURL != nil)
            #expect(try await server.uploadAudio(try Fixture.data("voice.m4a"), to: id, as: ada).status == 409)
        }
    }

    @Test("a missing or invalid value is 400 in the surface's error format, and nothing is created", arguments: StoragePair.allCases)
    func refused(_ pair: StoragePair) async throws {
        try await TestServer.run(pair) { server in
            let ada = try await server.person()
            for (body, field) in [
                (["file_size": 1], "duration"), (["duration": 1], "file_size"), (["duration": 0, "file_size": 1], "duration"),
                (["duration": -1, "file_size": 1], "duration"), (["duration": 700_000, "file_size": 1], "duration"),
                (["duration": "long", "file_size": 1], "duration"), (["duration": 1, "file_size": 0], "file_size"),
                (["duration": 1, "file_size": 209_715_201], "file_size"),
                (["duration": 1, "file_size": 1, "created_at": "yesterday"], "created_at"),
            ] as [([String: any Sendable], String)] {
                let answer = try await server.createCapsule(body, as: ada)
                let json = try answer.json()
                #expect(answer.status == 400 && json["error"] as? String == "bad_request", "\(answer.text)")
                #expect((json["message"] as? String)?.contains(field) == true && json.count == 2, "\(answer.text)")
            }
            #expect(try await server.send("GET", "/v0/capsules", as: ada).text == #"{"capsules":[],"next_cursor":null}"#)
            let id = try await server.makeCapsule(100, as: ada).capsule.id
            let early = try await server.completeCapsule(id, as: ada)
            #expect(early.status == 409 && early.text.contains(#""error":"conflict""#))
            #expect(try await server.completeCapsule(id, #"{"status":"completed"}"#, as: ada).status == 400)
            let sound = try Fixture.data("plain.wav")
            #expect(try await server.uploadAudio(sound, to: id, named: "another", as: ada).status == 400)
            #expect(try await server.uploadAudio(try Fixture.data("photo.jpg"), to: id, as: ada).status == 422)
            #expect(try await server.send("POST", "/v0/capsules", body: Data("{}".utf8)).status == 401)
            #expect(try await server.capsule(id, as: ada).status == .uploading)
            #expect(try await server.storedFileCount() == 0)
        }
    }

    @Test("sound in an MP4 with the brands of a film is M4A, and a film is refused", arguments: StoragePair.allCases)
    func brandOfFilms(_ pair: StoragePair) async throws {
        try await TestServer.run(pair) { server in
            let ada = try await server.person()
            var sound = try RealFile.bytes("voice.m4a")
            for at in stride(from: 8, to: 32, by: 4) where sound[at..<at + 4].elementsEqual("M4A ".utf8) {
                sound.replaceSubrange(at..<at + 4, with: Array("isom".utf8))
            }
            let made = try await server.makeCapsule(sound.count, as: ada)
            let film = try Fixture.data("moov-last.mp4")
            let other = try await server.makeCapsule(film.count, as: ada)
            #expect(try await server.uploadAudio(film, to: other.capsule.id, as: ada).status == 422)
            #expect(try await server.putAudio(film, try #require(other.uploadURL)).status == 422)
            #expect(try await server.storedFileCount() == 0)
            #expect(try await server.putAudio(Data(sound), try #require(made.uploadURL)).status == 200)
            let kept = try await server.uploadAudio(Data(sound), to: made.capsule.id, as: ada).decode(CapsuleUpload.self).capsule
            let answer = try await server.send("GET", try #require(kept.audioURL))
            #expect(answer.header("Content-Type") == "audio/mp4" && answer.body == Data(sound))
        }
    }

    @Test("a recording of an unknown codec is stored, with the duration that the request names", arguments: StoragePair.allCases)
    func unknownCodec(_ pair: StoragePair) async throws {
        try await TestServer.run(pair) { server in
            let ada = try await server.person()
            var sound = Data(try RepeatedChunk.frames(of: "xyzw", count: 100))
            // Sets the brand of the file to M4A.
            sound.replaceSubrange(8..<12, with: Data("M4A ".utf8))
            let made = try await server.makeCapsule(sound.count, as: ada).capsule
            let uploaded = try await server.uploadAudio(sound, to: made.id, as: ada)
            #expect(uploaded.status == 200, "\(uploaded.text)")
            let kept = try uploaded.decode(CapsuleUpload.self).capsule
            #expect(kept.fileSize == sound.count && kept.duration == made.duration)
        }
    }

    @Test("for another account, the capsule does not exist", arguments: StoragePair.allCases)
    func stranger(_ pair: StoragePair) async throws {
        try await TestServer.run(pair) { server in
            let (ada, eve) = (try await server.person(), try await server.person("eve"))
            let sound = try Fixture.data("plain.wav")
            let id = try await server.makeCapsule(sound.count, as: ada).capsule.id
            let nothing = "0193f3a1-0d5e-7b21-8c44-6a0f1e2d3c4b"
            for id in [id, nothing] {
                let answers = [
                    try await server.send("GET", "/v0/capsules/\(id)", as: eve),
                    try await server.send("GET", "/v0/capsules/\(id)/transcription", as: eve),
                    try await server.send("DELETE", "/v0/capsules/\(id)", as: eve),
                    try await server.completeCapsule(id, as: eve), try await server.uploadAudio(sound, to: id, as: eve),
                ]
                for answer in answers {
                    let told = try answer.json() as? [String: String]
                    #expect(answer.status == 404 && told == ["error": "not_found", "message": "There is no such capsule."])
                }
            }
            #expect(try await server.send("GET", "/v0/capsules", as: eve).decode(CapsuleList.self).capsules == [])
            #expect(try await server.capsuleEvents(as: eve).isEmpty)
            #expect(try await server.capsule(id, as: ada).status == .uploading)
        }
    }

    @Test("a retry with the same key returns the same capsule", arguments: StoragePair.allCases)
    func retry(_ pair: StoragePair) async throws {
        try await TestServer.run(pair) { server in
            let ada = try await server.person()
            let first = try await server.makeCapsule(50, as: ada, key: "k-1")
            #expect(try await server.makeCapsule(50, as: ada, key: "k-1") == first)
            #expect(try await server.createCapsule(["duration": 30.5, "file_size": 51], as: ada, key: "k-1").status == 422)
            #expect(try await server.send("GET", "/v0/capsules", as: ada).decode(CapsuleList.self).capsules == [first.capsule])
            let sound = try Fixture.data("plain.wav")
            let uploaded = try await server.uploadAudio(sound, to: first.capsule.id, as: ada, key: "u-1")
            let again = try await server.uploadAudio(sound, to: first.capsule.id, as: ada, key: "u-1")
            #expect(uploaded.status == 200 && again.body == uploaded.body && again.header("Idempotency-Replayed") == "true")
            // The capsule has these bytes: another key creates nothing, so its response is not stored.
            for key in ["u-2", "u-3", "u-2"] {
                let other = try await server.uploadAudio(sound, to: first.capsule.id, as: ada, key: key)
                #expect(other.status == 200 && other.header("Idempotency-Replayed") == nil, "\(other.text)")
            }
            let keys: Int = try await server.backend.database.read { tx in
                try tx.row("SELECT COUNT(*) AS n FROM idempotency WHERE key IN ('u-1', 'u-2', 'u-3')")!.get("n")
            }
            #expect(keys == 1)
        }
    }

    @Test("lists have pages, deleting removes everything, and every date has six digits", arguments: StoragePair.allCases)
    func lists(_ pair: StoragePair) async throws {
        try await TestServer.run(pair) { server in
            let ada = try await server.person()
            let sound = try Fixture.data("plain.wav")
            var ids: [String] = []
            for second in 0..<5 {
                let id = try await server.makeCapsule(sound.count, createdAt: "2026-01-01T00:00:0\(second)Z", as: ada).capsule.id
                ids.insert(id, at: 0)
            }
            for id in ids.prefix(2) {
                _ = try await server.uploadAudio(sound, to: id, as: ada)
                _ = try await server.completeCapsule(id, as: ada)
                _ = try await server.settledCapsule(id, as: ada)
            }
            var seen: [Capsule] = []
            var cursor: String?
            repeat {
                let answer = try await server.send("GET", "/v0/capsules?limit=2" + (cursor.map { "&cursor=\($0)" } ?? ""), as: ada)
                #expect(WireDates.haveSixDigits(try answer.json()))
                let page = try answer.decode(CapsuleList.self)
                #expect(page.capsules.count <= 2)
                seen += page.capsules
                cursor = page.nextCursor
            } while cursor != nil
            #expect(seen.map(\.id) == ids)
            let alone = try await server.capsule(ids[0], as: ada)
            #expect(seen[0] == alone)
            #expect(try await server.send("GET", "/v0/capsules?limit=0", as: ada).status == 400)
            #expect(try await server.send("GET", "/v0/capsules?cursor=AAAA", as: ada).status == 400)

            // The timeline shows only capsules with a recording, with dates in the surface's own format.
            let timeline = try await server.send("GET", server.moments(ada, "timeline"), as: ada)
            let items = try #require(try timeline.json()["items"] as? [[String: Any]])
            let kinds = items.map { $0["kind"] as? String }
            let shown = items.map { ($0["capsule"] as? [String: Any])?["id"] as? String }
            #expect(kinds == ["capsule", "capsule"] && shown == [ids[0], ids[1]])
            #expect(WireDates.haveSixDigits(items))
            #expect(items[0]["at"] as? Int == 1_767_225_604_000)
            for answer in [
                try await server.send("GET", "/v0/capsules/\(ids[4])", as: ada),
                try await server.createCapsule(["duration": 1, "file_size": 1], as: ada),
            ] { #expect(WireDates.haveSixDigits(try answer.json())) }

            let link = try #require(seen[0].audioURL)
            let gone = try await server.send("DELETE", "/v0/capsules/\(ids[0])", as: ada)
            #expect(gone.status == 200 && gone.text == "{}")
            #expect(try await server.send("GET", link).status == 404)
            #expect(try await server.send("GET", "/v0/capsules/\(ids[0])", as: ada).status == 404)
            #expect(try await server.send("DELETE", "/v0/capsules/\(ids[0])", as: ada).status == 404)
            #expect(try await server.capsuleEvents(as: ada).last?.type == "capsule.deleted")
            // Deleting a recording from the library removes it from its capsule.
            let files = try await server.send("GET", server.moments(ada, "multimedia"), as: ada).decode(MediaListResponse.self).files
            #expect(files.count == 1)
            _ = try await server.send("DELETE", server.moments(ada, "multimedia/\(files[0].fileId)"), as: ada)
            let silent = try await server.capsule(ids[1], as: ada)
            #expect(silent.audioURL == nil && silent.status == .completed)
        }
    }

    @Test("every list reads rows in the order of its index", arguments: StoragePair.allCases)
    func plans(_ pair: StoragePair) async throws {
        try await TestServer.run(pair, tables: nil) { server in
            let database = server.backend.database
            for after in [nil, EntryKind.Position(at: server.clock.now, id: "a")] {
                let list = try await QueryPlan(CapsuleStore.listStatement(owner: "o", after: after, limit: 21), on: database)
                #expect(list.faults == [] && list.uses("capsule_by_time"), "\(list)")
                for from in [nil, server.clock.now] {
                    for order in [Keyset.Direction.descending, .ascending] {
                        let request = EntryKind.Request(owner: "o", from: from, to: nil, tag: nil, order: order, after: after, limit: 21)
                        let plan = try await QueryPlan(CapsuleStore.timelineStatement(request), on: database)
                        #expect(plan.faults == [] && plan.uses("capsule_on_timeline"), "\(plan)")
                    }
                }
            }
            let ids = (1...100).map(String.init)
            for statement in [
                CapsuleStore.transcriptStatement(ids, owner: "o"), CapsuleStore.textStatement(ids, owner: "o"),
                CapsuleStore.capsulesStatement(ids, owner: "o"),
            ] {
                let plan = try await QueryPlan(statement, on: database)
                #expect(plan.faults == [] && !plan.readsAllOfOwner, "\(plan)")
            }
        }
    }

    @Test("a recording may be 5 % smaller or larger than announced")
    func sizes() { #expect(CapsuleRules.sizes(around: 100) == 95...105 && CapsuleRules.sizes(around: 1) == 1...2) }
}
