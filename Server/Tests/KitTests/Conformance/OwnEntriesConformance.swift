import Foundation
import KeepsakeKit
import KeepsakeWire
import TestThreads
import Testing

/// The entries that one account writes: moods, memories, events and capsules, and how the timeline, search and questions find them.
@Suite("KeepsakeKit on each transport and on the fake: own entries", .blocksThreads)
struct OwnEntriesConformance {
    @Test("moods, memories and events: created, listed, read, changed, counted and deleted", arguments: KitSetup.allCases)
    func moments(_ setup: KitSetup) async throws {
        try await setup.run { world in
            let files = try KitFiles()
            let (ada, _) = try await world.person()
            let photo = try files.fixture("photo.jpg")
            let progress = ProgressLog()
            let mood = try await ada.moments.createMood(
                "calm", note: "by the harbour", reason: "holiday", tags: ["sea"], interests: ["boats", "fish"], moodIntensity: 7,
                images: [photo], key: "mood"
            ) { progress.fractions.append($0) }
            #expect(mood.note == "by the harbour" && mood.tags == ["sea"] && mood.interests == ["boats", "fish"])
            #expect(mood.moodIntensity == 7 && mood.imageUrls.count == 1)
            let fractions = await progress.fractions
            #expect(fractions.last == 1 && fractions == fractions.sorted())
            let repeated = try await ada.moments.createMood(
                "calm", note: "by the harbour", reason: "holiday", tags: ["sea"], interests: ["boats", "fish"], moodIntensity: 7,
                images: [photo], key: "mood")
            #expect(repeated.id == mood.id)
            world.tick()
            let second = try await ada.moments.createMood("tired")
            #expect(try await ada.moments.moods(limit: 1).all().map(\.id) == [second.id, mood.id])
            #expect(try await ada.moments.moods(isAscending: true, limit: 1).all().map(\.id) == [mood.id, second.id])
            #expect(try await ada.moments.moods(tag: "sea").all().map(\.id) == [mood.id])
            let at = Date(timeIntervalSince1970: Double(second.createdAt) / 1_000)
            #expect(try await ada.moments.moods(from: at).all().map(\.id) == [second.id])
            #expect(try await ada.moments.moods(to: at).all().map(\.id) == [mood.id])
            let changed = try await ada.moments.updateMood(mood.id) { input in
                input.note = .clear
                input.moodIntensity = .set(3)
            }
            #expect(changed.note == nil && changed.moodIntensity == 3 && changed.reason == "holiday")
            #expect(try await ada.moments.mood(mood.id).moodIntensity == 3)
            let statistics = try await ada.moments.moodStatistics(timeZone: "UTC")
            #expect(try await ada.moments.moodStatistics(timeZone: "GMT").timeZone == "UTC")
            #expect(statistics.count == 2 && statistics.meanIntensity == 3)
            #expect(statistics.moods.map(\.mood).sorted() == ["calm", "tired"])
            await expectRefusal(400) { try await ada.moments.createMood("") }
            await expectRefusal(400) { try await ada.moments.createMood("calm", moodIntensity: 11) }

            let memory = try await ada.moments.createMemory(title: "Harbour", description: "Boats", location: "Kiel", tags: ["sea"])
            let renamed = try await ada.moments.updateMemory(memory.id) { $0.title = .set("The old harbour") }
            #expect(renamed.title == "The old harbour" && renamed.location == "Kiel")
            #expect(try await ada.moments.memories().all() == [renamed])
            let date = Date(timeIntervalSince1970: 1_800_000_000)
            let event = try await ada.moments.createEvent(title: "Regatta", date: date, location: "Kiel")
            #expect(event.date == "2027-01-15T08:00:00.000Z")
            let moved = try await ada.moments.updateEvent(event.id) { $0.date = .set("2027-01-16T08:00:00Z") }
            #expect(moved.date == "2027-01-16T08:00:00.000Z")
            #expect(try await ada.moments.events().all().map(\.id) == [event.id])
            #expect(try await ada.moments.event(event.id).title == "Regatta")

            let sound = try files.fixture("plain.wav")
            let spoken = try await ada.moments.createMemory(title: "Her voice", images: [photo], voiceNote: sound)
            #expect(spoken.voiceNote != nil && spoken.imageUrls.count == 1)
            #expect(spoken.files?.map(\.type) == ["audio/wav", "image/jpeg"])
            try await ada.moments.deleteMemory(spoken.id)
            let toast = try await ada.moments.createEvent(title: "The toast", date: date, images: [photo], voiceNote: sound)
            #expect(toast.voiceNote != nil && toast.imageUrls.count == 1)
            #expect(toast.files?.map(\.type) == ["audio/wav", "image/jpeg"])
            try await ada.moments.deleteEvent(toast.id)

            let (eve, _) = try await world.person("eve")
            await expectRefusal(404) { try await eve.moments.memory(memory.id) }
            await expectRefusal(404) { try await eve.moments.deleteMood(mood.id) }
            try await ada.moments.deleteMood(mood.id)
            try await ada.moments.deleteMemory(memory.id)
            try await ada.moments.deleteEvent(event.id)
            await expectRefusal(404) { try await ada.moments.mood(mood.id) }
            #expect(try await ada.moments.memories().all().isEmpty)
        }
    }

    @Test("moods, memories and events have the time, category and group that the app gives them", arguments: KitSetup.allCases)
    func givenTimes(_ setup: KitSetup) async throws {
        try await setup.run { world in
            let (ada, _) = try await world.person()
            // The first date is before 1973: in milliseconds, the server would read it as seconds. The second one has a fraction of a
            // second.
            let (old, late) = (Date(timeIntervalSince1970: 1_000_000), Date(timeIntervalSince1970: 1_000_000_000.125))
            let mood = try await ada.moments.createMood("calm", category: "trip", groupId: "g", createdAt: old)
            #expect(mood.createdAt == 1_000_000_000 && mood.category == "trip" && mood.groupId == "g")
            let memory = try await ada.moments.createMemory(title: "Harbour", category: "trip", groupId: "g", createdAt: late)
            #expect(memory.createdAt == 1_000_000_000_125 && memory.category == "trip" && memory.groupId == "g")
            let event = try await ada.moments.createEvent(
                title: "Regatta", date: Date(timeIntervalSince1970: 1_800_000_000), category: "trip", groupId: "g", createdAt: late)
            #expect(event.createdAt == 1_000_000_000_125 && event.category == "trip" && event.groupId == "g")
            #expect(event.date == "2027-01-15T08:00:00.000Z")
            let newer = try await ada.moments.createMood("tired", createdAt: late, key: "k")
            #expect(try await ada.moments.createMood("tired", createdAt: late, key: "k").id == newer.id)
            #expect(try await ada.moments.moods(to: late).all().map(\.id) == [mood.id])
            #expect(try await ada.moments.mood(newer.id).createdAt == 1_000_000_000_125)
            let tooLate = Date(timeIntervalSince1970: 1e15)
            await expectRefusal(400) { try await ada.moments.createMood("calm", createdAt: tooLate) }
        }
    }

    @Test("lists of moods, memories and events by category and group, which combine", arguments: KitSetup.allCases)
    func labels(_ setup: KitSetup) async throws {
        try await setup.run { world in
            let (ada, _) = try await world.person()
            let (old, late) = (Date(timeIntervalSince1970: 1_000_000), Date(timeIntervalSince1970: 1_000_000_000))
            let mood = try await ada.moments.createMood("calm", category: "trip", groupId: "g", createdAt: old)
            let newer = try await ada.moments.createMood("tired", category: "trip", createdAt: late)
            #expect(try await ada.moments.moods(category: "trip").all().map(\.id) == [newer.id, mood.id])
            #expect(try await ada.moments.moods(category: "trip", to: late).all().map(\.id) == [mood.id])
            #expect(try await ada.moments.moods(groupId: "g").all().map(\.id) == [mood.id])
            #expect(try await ada.moments.moods(category: "general").all().isEmpty)
            #expect(try await ada.moments.moods(category: "general", groupId: "g").all().isEmpty)

            let memory = try await ada.moments.createMemory(title: "Harbour", category: "trip", groupId: "g")
            let pier = try await ada.moments.createMemory(title: "Pier", createdAt: old)
            #expect(try await ada.moments.memories(category: "trip").all().map(\.id) == [memory.id])
            #expect(try await ada.moments.memories(category: "general").all().map(\.id) == [pier.id])
            #expect(try await ada.moments.memories(groupId: "g").all().map(\.id) == [memory.id])
            #expect(try await ada.moments.memories(isAscending: true).all().map(\.id) == [pier.id, memory.id])

            let event = try await ada.moments.createEvent(title: "Regatta", date: late, category: "trip", groupId: "g")
            let market = try await ada.moments.createEvent(title: "Market", date: late, groupId: "h", createdAt: old)
            #expect(try await ada.moments.events(category: "trip").all().map(\.id) == [event.id])
            #expect(try await ada.moments.events(groupId: "h").all().map(\.id) == [market.id])
            #expect(try await ada.moments.events(isAscending: true).all().map(\.id) == [market.id, event.id])
            #expect(try await ada.moments.events(category: "trip", groupId: "h").all().isEmpty)
        }
    }

    @Test("queued entries have the time at which they were queued, or the one that the app gives", arguments: KitSetup.allCases)
    func queuedTimes(_ setup: KitSetup) async throws {
        try await setup.run { world in
            let files = try KitFiles()
            let recording = try files.fixture("plain.wav")
            let (ada, _) = try await world.person()
            let queue = OfflineQueue(ada, folder: files.url("queue"))
            let given = Date(timeIntervalSince1970: 1_000_000_000)
            let mood = try await queue.enqueue(.mood("calm"))
            let memory = try await queue.enqueue(.memory(title: "Harbour", voiceNote: recording))
            let date = Date(timeIntervalSince1970: 1_800_000_000)
            let event = try await queue.enqueue(.event(title: "Regatta", date: date, voiceNote: recording))
            let capsule = try await queue.enqueue(.capsule(recording, duration: 0.5))
            try await queue.enqueue(.mood("dated", createdAt: given))
            // The server's clock moves forward before the entries are sent, but not so far that access tokens expire.
            world.advance(.seconds(600))
            // With a key, the queue repeats an attempt that the app has made itself.
            let first = try await ada.moments.createMood("keyed", key: "k")
            try await queue.enqueue(.mood("keyed"), key: "k")
            #expect(await queue.flush() == .idle)
            #expect(try await queue.entries().isEmpty)

            func isQueued(_ milliseconds: Int?, _ entry: QueueEntry) -> Bool {
                milliseconds.map { abs(Double($0) / 1_000 - entry.queuedAt.timeIntervalSince1970) < 0.002 } ?? false
            }
            let moods = try await ada.moments.moods().all()
            #expect(moods.map(\.mood) == ["keyed", "calm", "dated"])
            #expect(moods.first == first && isQueued(moods.dropFirst().first?.createdAt, mood))
            #expect(moods.last?.createdAt == 1_000_000_000_000)
            let (memories, events) = (try await ada.moments.memories().all(), try await ada.moments.events().all())
            #expect(isQueued(memories.first?.createdAt, memory) && isQueued(events.first?.createdAt, event))
            #expect(memories.first?.voiceNote != nil && events.first?.voiceNote != nil)
            let recorded = try #require(try await ada.capsules.list().all().first)
            #expect(abs(recorded.createdAt.timeIntervalSince(capsule.queuedAt)) < 0.002)
        }
    }

    @Test("timeline, search and questions find what was written", arguments: KitSetup.allCases)
    func reading(_ setup: KitSetup) async throws {
        try await setup.run { world in
            let (ada, _) = try await world.person()
            let memory = try await ada.moments.createMemory(
                title: "Harbour", description: "Grandma lost her keys at the harbour.", tags: ["sea"])
            world.tick()
            let mood = try await ada.moments.createMood("calm", note: "Tea on the balcony")
            world.tick()
            let last = try await ada.moments.createMood("happy", note: "Dinner at the harbour")
            let entries = try await ada.timeline.entries(limit: 2).all()
            #expect(entries.map { $0.mood?.id ?? $0.memory?.id } == [last.id, mood.id, memory.id])
            #expect(entries.map(\.kind) == ["mood", "mood", "memory"])
            #expect(try await ada.timeline.entries(isAscending: true, limit: 2).all() == entries.reversed())
            #expect(try await ada.timeline.entries(tag: "sea").all().map(\.kind) == ["memory"])
            #expect(try await ada.timeline.entries(kinds: ["memory"]).all().map(\.memory) == [memory])
            #expect(try await ada.timeline.entries(kinds: ["mood", "file"], limit: 1).all().map { $0.mood?.id } == [last.id, mood.id])
            #expect(try await ada.timeline.entries(kinds: ["event", "capsule", "capture"]).all().isEmpty)
            await expectRefusal(400) { try await ada.timeline.entries(from: CalendarDay("soon")).page() }
            // A range begins and ends with times or with days, in all lists.
            let utc = try #require(TimeZone(identifier: "UTC"))
            let day = CalendarDay(of: memory.createdDate, in: utc)
            let (start, end) = (mood.createdDate, last.createdDate)
            #expect(try await ada.timeline.entries(from: start, to: end).all().map { $0.mood?.id } == [mood.id])
            #expect(try await ada.timeline.entries(from: day, to: end).all().count == 2)
            #expect(try await ada.moments.moods(from: day, to: end).all().map(\.id) == [mood.id])
            #expect(try await ada.moments.moodStatistics(from: day, timeZone: "UTC").count == 2)
            let later = try await ada.ask("Where did grandma lose her keys?", from: start)
            #expect(!later.sources.map(\.id).contains(memory.id))
            await expectRefusal(400) { try await ada.timeline.entries(kinds: ["mood", "letter"]).page() }

            let found = try await ada.search("HÁRB", limit: 1).all()
            #expect(Set(found.map { $0.item.mood?.id ?? $0.item.memory?.id }) == [last.id, memory.id])
            #expect(found.allSatisfy { !$0.snippets.isEmpty })
            #expect(try await ada.search("harbour", kind: "mood").all().map { $0.item.mood?.id } == [last.id])
            #expect(try await ada.search("harbour volcano").all().isEmpty)

            let answer = try await ada.ask("Where did grandma lose her keys?")
            #expect(answer.sources.contains { $0.id == memory.id } && answer.answer.contains("Grandma lost her keys"), "\(answer)")
            let nothing = try await ada.ask("When did I visit Tokyo?")
            #expect(nothing.sources.isEmpty && nothing.confidence == 0)
            await expectRefusal(400) { try await ada.ask(String(repeating: "a", count: 1_001)) }

            let (eve, _) = try await world.person("eve")
            #expect(try await eve.timeline.entries().all().isEmpty)
            #expect(try await eve.search("harbour").all().isEmpty)
        }
    }

    @Test("capsules: created, uploaded, completed, listed, read and deleted", arguments: KitSetup.allCases)
    func capsules(_ setup: KitSetup) async throws {
        try await setup.run { world in
            let files = try KitFiles()
            let (ada, id) = try await world.person()
            let recording = try files.fixture("plain.wav")
            let first = try await ada.capsules.create(recording, duration: 0.5, key: "first")
            #expect(first.userId == id && first.status != .uploading)
            #expect(try await ada.capsules.create(recording, duration: 0.5, key: "first").id == first.id)
            world.tick()
            let second = try await ada.capsules.create(recording, duration: 0.5)
            #expect(try await ada.capsules.list(limit: 1).all().map(\.id) == [second.id, first.id])
            let read = try await ada.capsules.get(first.id)
            #expect(read.fileSize == 4_044 && read.audioURL != nil)
            #expect(try await ada.capsules.transcription(first.id).capsuleId == first.id)
            let (eve, _) = try await world.person("eve")
            await expectRefusal(404, "not_found") { try await eve.capsules.get(first.id) }
            try await ada.capsules.delete(first.id)
            await expectRefusal(404) { try await ada.capsules.get(first.id) }
            await #expect { try await ada.capsules.create(files.text("no sound"), duration: 1) } throws: {
                ($0 as? KeepsakeError)?.status == 422
            }
        }
    }
}

/// Records what a progress handler received.
@MainActor private final class ProgressLog {
    var fractions: [Double] = []
    nonisolated init() {}
}
