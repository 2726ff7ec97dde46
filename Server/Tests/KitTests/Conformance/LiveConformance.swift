import Foundation
import KeepsakeKit
import KeepsakeTesting
import KeepsakeWire
import TestThreads
import Testing

@testable import FeatureTestKit

/// Captures and live events.
@Suite("KeepsakeKit on each transport and on the fake: captures and live events", .blocksThreads, .timeLimit(.minutes(3)))
struct LiveConformance {
    @Test("captures: sent, repeated, processed, read, corrected and deleted", arguments: KitSetup.allCases)
    func captures(_ setup: KitSetup) async throws {
        try await setup.run { world in
            let files = try KitFiles()
            let tokens = MemoryTokenStore()
            let (ada, _) = try await world.person(tokens: tokens)
            let photo = try files.fixture("photo.jpg")
            let at = try #require(WireDate.parse("2026-05-01T08:00:00.250Z"))
            if !setup.hasSockets {
                await #expect { try await ada.captures.capture(transcription: "Tea", at: at) } throws: {
                    ($0 as? KeepsakeError)?.code == .unsupported
                }
                // Without WebSockets, no client can send captures to this server.
                if setup == .fakeWithoutSockets { return }
            }
            // Reading works without WebSockets.
            let sender = setup.hasSockets ? ada : world.clientWithSockets(tokens)
            let news = ada.captures.processed(since: 0)
            let receipt = try await sender.captures.capture(photo: photo, transcription: "Tea with Nina.", at: at, id: "tea")
            #expect(receipt == CaptureReceipt(captureId: "tea", timestamp: at))
            #expect(try await Self.first(1, of: news) == ["tea 2026-05-01"])
            // Sending the same capture again changes nothing. The server refuses a different capture with the same id.
            #expect(try await sender.captures.capture(photo: photo, transcription: "Tea with Nina.", at: at, id: "tea") == receipt)
            await #expect { try await sender.captures.capture(transcription: "Coffee with Nina.", at: at, id: "tea") } throws: {
                ($0 as? KeepsakeError)?.code == .idInUse
            }
            // The socket stays open after a refusal, and all captures use it.
            try await withThrowingTaskGroup(of: Void.self) { tasks in
                for number in 1...20 {
                    tasks.addTask {
                        let id = "walk-\(number)"
                        let time = at.addingTimeInterval(60)
                        let sent = try await sender.captures.capture(transcription: "Step \(number).", at: time, id: id)
                        #expect(sent.captureId == id)
                    }
                }
                try await tasks.waitForAll()
            }
            await #expect { try await sender.captures.capture(transcription: "x", id: "not allowed") } throws: {
                ($0 as? KeepsakeError)?.code == .invalidRequest && ($0 as? KeepsakeError)?.field == "id"
            }
            #expect(Set(try await ada.captures.list(limit: 7).all().map(\.id)).count == 21)
            #expect(try await ada.captures.list(day: "2026-05-02").all().isEmpty)
            let read = try await ada.captures.get("tea")
            #expect(read.processed && read.transcription == "Tea with Nina." && read.photoURL != nil && read.timestamp == at)
            // A file may arrive after its capture.
            _ = try await ada.captures.upload(photo, id: "walk-1")
            #expect(try await ada.captures.get("walk-1").photoURL != nil)
            #expect(try await ada.captures.get("walk-2").photoURL == nil)
            let copy = files.url("copy.jpg")
            try await ada.captures.download("tea", "photo", to: copy)
            #expect(try Data(contentsOf: copy) == Data(contentsOf: photo))
            #expect(try await ada.captures.correct("tea", transcription: "Tea with Nora.").transcription == "Tea with Nora.")
            // The server compares a repeat with the capture as it was first sent, and keeps the correction.
            #expect(try await sender.captures.capture(photo: photo, transcription: "Tea with Nina.", at: at, id: "tea") == receipt)
            #expect(try await ada.captures.get("tea").transcription == "Tea with Nora.")
            #expect(try await ada.captures.day("2026-05-01")?.totalCaptures == 21)
            #expect(try await ada.captures.day("2026-05-02") == nil)
            _ = try await ada.captures.hours("2026-05-01")
            #expect(try await ada.captures.list(day: "2026-05-01", limit: 100).all().count == 21)
            _ = try await ada.captures.days(from: "2026-05-01", to: "2026-05-01").all()
            _ = try await ada.captures.contacts().all()

            let (eve, _) = try await world.person("eve")
            await expectRefusal(404) { try await eve.captures.get("tea") }
            try await ada.captures.delete("tea")
            await expectRefusal(404) { try await ada.captures.get("tea") }
            // The id of a deleted capture cannot be used again, for example by a phone that had no network in the meantime.
            await #expect { try await sender.captures.capture(transcription: "Tea with Nina.", at: at, id: "tea") } throws: {
                ($0 as? KeepsakeError)?.code == .idInUse
            }
            await expectRefusal(410) { try await sender.captures.upload(photo, id: "tea") }
            #expect(try await ada.captures.delete(from: CalendarDay("2026-05-01"), to: CalendarDay("2026-05-01")) == 20)
            #expect(try await ada.captures.list().all().isEmpty)
        }
    }

    @Test("known contacts: edited, split, merged and deleted", arguments: KitSetup.allCases)
    func contacts(_ setup: KitSetup) async throws {
        try await setup.run { world in
            let tokens = MemoryTokenStore()
            let (ada, id) = try await world.person(tokens: tokens)
            if let fake = world.fake {
                // The fake server does not find names in texts.
                fake.addKnownContact("John", mentionedIn: ["a", "b"], of: id)
                fake.addKnownContact("Maria", mentionedIn: ["c"], of: id)
            } else {
                let sender = setup.hasSockets ? ada : world.clientWithSockets(tokens)
                let at = try #require(WireDate.parse("2026-05-01T08:00:00.000Z"))
                for (id, text) in [("a", "Just met with John."), ("b", "Lunch with John."), ("c", "Maria called me.")] {
                    _ = try await sender.captures.capture(transcription: text, at: at, id: id)
                }
                try await eventually { try await ada.captures.list().all().allSatisfy { $0.processed } }
            }
            let known = try await ada.captures.contacts(limit: 1).all()
            let john = try #require(known.first { $0.name == "John" })
            let maria = try #require(known.first { $0.name == "Maria" })
            #expect(known.count == 2 && john.mentionCount == 2 && maria.mentionCount == 1)

            let edited = try await ada.captures.editContact(
                EditKnownContactInput(id: john.id, name: .set("Johnny"), relationship: .set("colleague"), notes: .set("Likes tea.")))
            #expect(edited.name == "Johnny" && edited.relationship == "colleague" && edited.notes == "Likes tea.")
            #expect(try await ada.captures.editContact(EditKnownContactInput(id: john.id, notes: .clear)).notes == nil)
            await expectRefusal(400) { try await ada.captures.editContact(EditKnownContactInput(id: john.id, name: .set(""))) }

            let smith = try await ada.captures.splitContact(john.id, captureIds: ["b"], name: "John Smith", key: "split")
            #expect(smith.id != john.id && smith.name == "John Smith" && smith.mentionCount == 1)
            let again = try await ada.captures.splitContact(john.id, captureIds: ["b"], name: "John Smith", key: "split")
            #expect(again.id == smith.id)
            await expectRefusal(400) { try await ada.captures.splitContact(john.id, captureIds: ["b"], name: "Another") }

            let (eve, _) = try await world.person("eve")
            await expectRefusal(404) { try await eve.captures.editContact(EditKnownContactInput(id: john.id, name: .set("x"))) }
            await expectRefusal(404) { try await eve.captures.mergeContact(smith.id, into: maria.id) }
            await expectRefusal(404) { try await eve.captures.deleteContact(maria.id) }
            let merged = try await ada.captures.mergeContact(smith.id, into: maria.id)
            #expect(merged.id == maria.id && merged.mentionCount == 2)
            try await ada.captures.deleteContact(maria.id)
            await expectRefusal(404) { try await ada.captures.deleteContact(maria.id) }
            #expect(try await ada.captures.contacts().all().map(\.name) == ["Johnny"])
        }
    }

    @Test("three consumers get each event once; one that joins reads what it missed", arguments: KitSetup.allCases)
    func events(_ setup: KitSetup) async throws {
        try await setup.run { world in
            let (ada, _) = try await world.person()
            _ = try await ada.moments.createMood("first")
            let numbers = try await withThrowingTaskGroup(of: [Int64].self) { tasks in
                for _ in 0..<3 { tasks.addTask { try await Self.numbers(6, of: ada.events.follow(since: 0)) } }
                for number in 2...6 { _ = try await ada.moments.createMood("mood \(number)") }
                var all: [[Int64]] = []
                for try await seen in tasks { all.append(seen) }
                return all
            }
            #expect(numbers == Array(repeating: Array(1...6), count: 3))
            #expect(try await Self.numbers(2, of: ada.events.follow(since: 4)) == [5, 6])
        }
    }

    @Test("a number that the server does not keep is a reset, and the events after it follow", arguments: KitSetup.allCases)
    func reset(_ setup: KitSetup) async throws {
        try await setup.run { world in
            let (ada, _) = try await world.person()
            _ = try await ada.moments.createMood("first")
            var iterator = ada.events.follow(since: 99).makeAsyncIterator()
            #expect(try await iterator.next() == .reset(seq: 1))
            _ = try await ada.moments.createMood("second")
            guard case .event(let event)? = try await iterator.next() else {
                Issue.record("no event came")
                return
            }
            #expect(event.seq == 2 && event.type == "mood.added")
        }
    }

    @Test("a disconnect is final, a sign-out ends streams, and nobody else gets their events", arguments: KitSetup.allCases)
    func ending(_ setup: KitSetup) async throws {
        try await setup.run { world in
            let (ada, _) = try await world.person()
            let (unread, reading) = (ada.events.follow(since: 0), ada.events.follow(since: 0))
            let reader = Task { try await Self.numbers(.max, of: reading) }
            _ = try await ada.moments.createMood("first")
            #expect(try await Self.numbers(1, of: ada.events.follow(since: 0)) == [1])
            await ada.events.disconnect()
            await ada.events.reconnect()
            #expect(try await reader.value.count <= 1)
            var iterator = unread.makeAsyncIterator()
            #expect(try await iterator.next() == nil)
            // A new stream opens a new connection.
            #expect(try await Self.numbers(1, of: ada.events.follow(since: 0)) == [1])

            let following = ada.events.follow(since: 1)
            let waiting = Task { try await Self.numbers(.max, of: following) }
            let (eve, _) = try await world.person("eve")
            try await Task.sleep(for: .milliseconds(100))
            try await ada.auth.signOut()
            await #expect { try await waiting.value } throws: { error in
                let code = (error as? KeepsakeError)?.code
                return code == .signedOut || code == .sessionChanged
            }
            _ = try await eve.moments.createMood("hers")
            #expect(try await Self.numbers(1, of: eve.events.follow(since: 0)) == [1])
        }
    }

    /// - Returns: the numbers of the first `count` events; fewer if the stream ends before.
    private static func numbers(_ count: Int, of stream: EventStream) async throws -> [Int64] {
        var seen: [Int64] = []
        for try await message in stream {
            if case .event(let event) = message { seen.append(event.seq) }
            if seen.count >= count { break }
        }
        return seen
    }

    /// The first processed captures, as id and date.
    private static func first(_ count: Int, of stream: ProcessedCaptures) async throws -> [String] {
        var seen: [String] = []
        for try await message in stream {
            if case .processed(let capture) = message { seen.append("\(capture.captureId) \(capture.date)") }
            if seen.count >= count { break }
        }
        return seen
    }
}
