import Core
import Foundation
import KeepsakeKit
import KeepsakeWire
import KitTransport
import Synchronization
import TestKit
import TestThreads
import Testing

@testable import FeatureTestKit

@Suite("The samples of the client library's documents", .blocksThreads)
struct SnippetTests {
    /// The moods that a sample shows.
    private final class Shown: Sendable {
        private let moods = Mutex<Set<String>>([])
        var ids: Set<String> { moods.withLock { $0 } }
        func show(_ shown: [String: MoodData]) { moods.withLock { $0 = Set(shown.keys) } }
    }

    @Test("each of them runs against a server", .timeLimit(.minutes(1)))
    func run() async throws {
        let clock = TestClock(Timestamp(seconds: Int64(Date().timeIntervalSince1970)))
        try await TestServer.run(.sqlite, clock: clock) { server in
            let folder = try TemporaryFolder()
            let (photo, recording) = (URL(filePath: folder.path + "/photo.jpg"), URL(filePath: folder.path + "/voice.m4a"))
            try Fixture.data("photo.jpg").write(to: photo)
            try Fixture.data("voice.m4a").write(to: recording)
            let address = try #require(URL(string: server.url))
            let (email, password) = ("ada@example.org", "correct horse")
            try await Snippets.register(Snippets.client(address), email: email, password: password)
            try await keepFirstMood(on: address, tokens: MemoryTokenStore(), email: email, password: password, photo: photo)
            let keepsake = try await Snippets.signIn(
                address, URL(filePath: folder.path + "/tokens.json"), email: email, password: password)
            let following = Task { try await Snippets.events(keepsake) }
            let states = Task { await Snippets.states(keepsake) }
            let shown = Shown()
            let live = Task { try await Snippets.liveMoods(keepsake) { shown.show($0) } }
            try await Snippets.upload(keepsake, [photo])
            // The server already has the photo.
            try await Snippets.uploadOnce(keepsake, photo)
            #expect(try await keepsake.media.list(category: "general").all().count == 1)
            try await Snippets.library(keepsake, from: Date(timeIntervalSinceNow: -86_400), to: Date(timeIntervalSinceNow: 86_400))
            try await Snippets.mood(keepsake, photo, recording)
            try await Snippets.memory(keepsake)
            try await Snippets.capsule(keepsake, recording)
            // URLSession does not support WebSockets on Linux.
            let socketed = Snippets.client(address, AsyncHTTPTransport())
            try await socketed.auth.signIn(email: email, password: password)
            try await Snippets.capture(socketed, photo)
            let queue = try await Snippets.queue(keepsake, URL(filePath: folder.path + "/queue"), photo)
            try await Snippets.queueEntries(queue)
            #expect(await queue.flush() == .idle)
            await queue.stop()
            try await Snippets.key(keepsake, draft: UUID())
            try await Snippets.timeline(keepsake)
            let moods = try await Snippets.page(keepsake)
            #expect(moods.count >= 2)
            try await Snippets.today(keepsake)
            try await Snippets.search(keepsake)
            try await Snippets.ask(keepsake)
            #expect(try await Snippets.chat(keepsake).count == 4)
            try await Snippets.chatStream(keepsake)
            #expect(try await keepsake.chat.conversations().page().items.count == 2)
            #expect(try await Snippets.profile(keepsake).bio == "Swims in any weather")
            let guest = Snippets.client(address)
            let guestID = try await guest.auth.register(email: "nora@example.org", password: password, name: "Nora").id
            try await server.setPhone("+491701234567", of: TestServer.Person(id: guestID, token: ""))
            let cove = try await Snippets.cove(keepsake)
            try await Snippets.joinCove(guest)
            #expect(try await guest.coves.list().map(\.id) == [cove.id])
            #expect(try await Snippets.coveEvent(keepsake, in: cove) == .going)
            try await Snippets.coveLists(keepsake)
            let event = try #require(try await keepsake.coves.events(cove.id).page().items.first)
            #expect(try await Snippets.coveChange(keepsake, event) == "The beach")
            try await Snippets.contacts(keepsake, ["+49 170 1234567", "+49 170 7654321"])
            #expect(try await keepsake.people.sentRequests().all().map(\.recipient.id) == [guestID])
            try await Snippets.friends(guest)
            #expect(try await keepsake.people.friends().all().map(\.id) == [guestID])
            try await Snippets.block(keepsake, guestID)
            #expect(try await keepsake.people.blocks().all().map(\.id) == [guestID])
            #expect(try await keepsake.people.friends().all().isEmpty)
            let file = try #require(try await keepsake.media.list(type: "image").page().items.first)
            let mood = try #require(moods.first)
            try await eventually { shown.ids.contains(mood.id) }
            let upload = try #require(try await keepsake.media.list(category: "general").page().items.first)
            let group = try #require(try await Snippets.group(keepsake, upload, with: mood).groupId)
            #expect(try await keepsake.media.list(groupId: group).all().map(\.fileId) == [upload.fileId])
            #expect(try await keepsake.moments.moods(groupId: group).all().map(\.id) == [mood.id])
            #expect(try await Snippets.change(keepsake, mood, upload).tags == mood.tags + ["evening"])
            try await Snippets.download(keepsake, file.fileId, to: URL(filePath: folder.path + "/copy"))
            #expect(FileManager.default.fileExists(atPath: folder.path + "/copy"))
            let small = try await Snippets.copies(keepsake, file, to: URL(filePath: folder.path + "/small.webp"))
            #expect(small?.absoluteString == file.url + "&w=300&format=webp")
            let film = try await Snippets.play(keepsake, file, to: URL(filePath: folder.path + "/film"))
            #expect(film?.absoluteString == file.url + "&play=1")
            try await Snippets.archive(keepsake, file, to: URL(filePath: folder.path + "/photos.zip"))
            // When the sample deletes the photo, it has already been deleted.
            try await keepsake.media.delete(upload.fileId)
            try await Snippets.delete(keepsake, mood, upload)
            #expect(try await keepsake.moments.moods(groupId: group).all().isEmpty)
            try await eventually { !shown.ids.contains(mood.id) }
            live.cancel()
            _ = await live.result
            await Snippets.errors(keepsake)
            try await Snippets.deleteAccount(guest)
            #expect(try await guest.auth.userID == nil)
            try await Snippets.endpoint(keepsake)
            let owner = try await loadOwner(keepsake).id
            #expect(try await keepsake.auth.userID == owner)
            try await Snippets.signOut(keepsake)
            states.cancel()
            await states.value
            // If no sign-out has ended the stream with an error, the test ends it here.
            following.cancel()
            _ = await following.result
        }
    }
}
