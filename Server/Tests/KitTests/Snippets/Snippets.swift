// The samples of README.md, docs/api.md and Kit/KeepsakeKit/KeepsakeKit.docc. They are compiled here and in `Snippets+people.swift`.
// `KitDocumentationTests` compares them with the documents, and `SnippetTests` runs them against a server.
// A sample begins after `// snippet: NAME` and ends before `// end`.

// swift-format-ignore: OrderedImports
import HTTPTypes

// snippet: app
import Foundation
import KeepsakeKit
import KeepsakeWire

/// `tokens` keeps the sign-in between launches: `KeychainTokenStore()` on Apple's systems, elsewhere `FileTokenStore(file)`.
func keepFirstMood(on server: URL, tokens: any TokenStore, email: String, password: String, photo: URL) async throws {
    let keepsake = Keepsake(url: server, tokens: tokens)
    try await keepsake.auth.signIn(email: email, password: password)
    let mood = try await keepsake.moments.createMood("calm", note: "By the lake", images: [photo])
    print("kept as \(mood.id)")
    for try await entry in keepsake.timeline.entries() { print(entry.kind, entry.date) }
}
// end

// snippet: own-model
/// The app's own model, which is `Codable` on the main actor only.
@MainActor struct Owner: @MainActor Codable {
    var id: String
    var name: String?
}

@MainActor func loadOwner(_ keepsake: Keepsake) async throws -> Owner {
    let endpoint = Endpoint<Empty, Owner>(.get, "/user/me", surface: .capsules)
    return try await keepsake.send(endpoint, Empty())
}
// end

enum Snippets {
    static func client(_ server: URL, _ transport: any Transport = URLSessionTransport()) -> Keepsake {
        Keepsake(url: server, tokens: MemoryTokenStore(), transport: transport)
    }

    static func signIn(_ server: URL, _ file: URL, email: String, password: String) async throws -> Keepsake {
        // snippet: sign-in
        let keepsake = Keepsake(url: server, tokens: FileTokenStore(file))
        let user = try await keepsake.auth.signIn(email: email, password: password)
        print("signed in as \(user.name ?? user.id)")
        // end
        return keepsake
    }

    static func register(_ keepsake: Keepsake, email: String, password: String) async throws {
        // snippet: register
        try await keepsake.auth.register(email: email, password: password, name: "Ada")
        // end
    }

    static func states(_ keepsake: Keepsake) async {
        // snippet: states
        for await state in await keepsake.auth.states() {
            switch state {
            case .signedIn(let userID): print("signed in: \(userID)")
            case .signedOut(refused: true): print("the server ended the session: show the sign-in screen")
            case .signedOut(refused: false): print("signed out")
            }
        }
        // end
    }

    static func signOut(_ keepsake: Keepsake) async throws {
        // snippet: sign-out
        try await keepsake.auth.signOut()
        // end
    }

    static func upload(_ keepsake: Keepsake, _ photos: [URL]) async throws {
        // snippet: upload
        let response = try await keepsake.media.upload(photos, labels: .init(tags: ["lake"])) { fraction in
            print("\(Int(fraction * 100)) %")
        }
        for file in response.files { print(file.data.name, file.data.url) }
        for line in response.errors ?? [] { print("refused: \(line)") }
        // end
    }

    static func uploadOnce(_ keepsake: Keepsake, _ photo: URL) async throws {
        // snippet: upload-once
        let hash = try await MediaLibrary.sha256(of: photo)
        if try await keepsake.media.list(sha256: hash).page().items.isEmpty {
            _ = try await keepsake.media.upload([photo])
        }
        // end
    }

    static func library(_ keepsake: Keepsake, from start: Date, to end: Date) async throws {
        // snippet: library
        let photos = keepsake.media.list(from: start, to: end, type: "image", isAscending: true)
        for try await photo in photos { print(photo.name, photo.createdDate) }
        // end
    }

    static func mood(_ keepsake: Keepsake, _ photo: URL, _ recording: URL) async throws {
        // snippet: mood
        let mood = try await keepsake.moments.createMood(
            "calm", note: "By the lake", tags: ["lake"], moodIntensity: 7, images: [photo], voiceNote: recording)
        print(mood.id, mood.imageUrls)
        // end
    }

    static func group(_ keepsake: Keepsake, _ photo: MediaItem, with mood: MoodData) async throws -> MoodData {
        // snippet: group
        let group = UUID().uuidString
        _ = try await keepsake.media.update(photo.fileId, groupId: .set(group))
        let grouped = try await keepsake.moments.updateMood(mood.id) { $0.groupId = .set(group) }
        for try await photo in keepsake.media.list(groupId: group) { print(grouped.mood, photo.name) }
        // end
        return grouped
    }

    static func change(_ keepsake: Keepsake, _ mood: MoodData, _ photo: MediaItem) async throws -> MoodData {
        // snippet: change
        let changed = try await keepsake.moments.updateMood(mood.id) { change in
            change.note = .set("By the lake, in the evening")
            change.tags = .set(mood.tags + ["evening"])
            change.reason = .clear
        }
        let titled = try await keepsake.media.update(photo.fileId, title: .set("The lake"))
        print(changed.tags, titled.title ?? "")
        // end
        return changed
    }

    static func delete(_ keepsake: Keepsake, _ mood: MoodData, _ photo: MediaItem) async throws {
        // snippet: delete
        try await keepsake.moments.deleteMood(mood.id)
        do {
            try await keepsake.media.delete(photo.fileId)
        } catch let error as KeepsakeError where error.status == 404 {
            print("it was deleted before")
        }
        // end
    }

    static func memory(_ keepsake: Keepsake) async throws {
        // snippet: memory
        let memory = try await keepsake.moments.createMemory(title: "First swim", location: "Lake Garda")
        let event = try await keepsake.moments.createEvent(title: "Party", date: Date(timeIntervalSinceNow: 86_400))
        print(memory.id, event.date)
        // end
    }

    static func capsule(_ keepsake: Keepsake, _ recording: URL) async throws {
        // snippet: capsule
        var capsule = try await keepsake.capsules.create(recording, duration: 3.5)
        while capsule.status != .completed && capsule.status != .failed {
            try await Task.sleep(for: .seconds(1))
            capsule = try await keepsake.capsules.get(capsule.id)
        }
        print(capsule.transcription ?? "no words were understood")
        // end
    }

    static func capture(_ keepsake: Keepsake, _ photo: URL) async throws {
        // snippet: capture
        let receipt = try await keepsake.captures.capture(photo: photo, transcription: "We met Nora at the harbour")
        print(receipt.captureId)
        // end
    }

    static func queue(_ keepsake: Keepsake, _ folder: URL, _ photo: URL) async throws -> OfflineQueue {
        // snippet: queue
        let queue = OfflineQueue(keepsake, folder: folder)
        await queue.start()
        try await queue.enqueue(.mood("calm", note: "On the train", images: [photo]), label: "train")
        // end
        return queue
    }

    static func queueEntries(_ queue: OfflineQueue) async throws {
        // snippet: queue-entries
        for entry in try await queue.entries() {
            switch entry.state {
            case .waiting, .sending: print("\(entry.label) waits")
            case .parked: print("\(entry.label) was refused: \(entry.error?.message ?? "")")
            case .uncertain: print("ask the person whether \(entry.label) exists")
            }
        }
        // end
    }

    static func key(_ keepsake: Keepsake, draft: UUID) async throws {
        // snippet: key
        let memory = try await keepsake.moments.createMemory(title: "First swim", key: draft.uuidString)
        print(memory.id)
        // end
    }

    static func timeline(_ keepsake: Keepsake) async throws {
        // snippet: timeline
        for try await entry in keepsake.timeline.entries(from: CalendarDay("2026-01-01"), tag: "lake") {
            print(entry.kind, entry.date)
        }
        // end
    }

    static func page(_ keepsake: Keepsake) async throws -> [MoodData] {
        // snippet: page
        let moods = keepsake.moments.moods(limit: 50)
        let first = try await moods.page()
        let second = try await moods.page(after: first.nextCursor)
        return first.items + second.items
        // end
    }

    static func today(_ keepsake: Keepsake) async throws {
        // snippet: today
        let morning = Calendar.current.startOfDay(for: Date())
        for try await mood in keepsake.moments.moods(from: morning, isAscending: true) { print(mood.createdDate, mood.mood) }
        // end
    }

    static func search(_ keepsake: Keepsake) async throws {
        // snippet: search
        for try await result in keepsake.search("lake") {
            for snippet in result.snippets { print(result.item.kind, snippet.text) }
        }
        // end
    }

    static func ranges(_ snippet: SearchItem.Snippet) -> [NSRange] {
        var ranges: [NSRange] = []
        // snippet: marks
        for mark in snippet.marks {
            let scalars = snippet.text.unicodeScalars
            let start = scalars.index(scalars.startIndex, offsetBy: mark[0])
            let end = scalars.index(start, offsetBy: mark[1])
            ranges.append(NSRange(start..<end, in: snippet.text))
        }
        // end
        return ranges
    }

    static func ask(_ keepsake: Keepsake) async throws {
        // snippet: ask
        let answer = try await keepsake.ask("When were we at the lake?")
        print(answer.answer)
        for source in answer.sources { print(source.kind, source.text) }
        // end
    }

    static func chat(_ keepsake: Keepsake) async throws -> [ChatMessage] {
        // snippet: chat
        let answer = try await keepsake.chat.send("What did I write about the lake?", endpoint: "local")
        print(answer.responseMessage.text)
        let conversation = answer.conversation.conversationId
        let next = try await keepsake.chat.send("And about the party?", in: conversation, endpoint: "local")
        print(next.responseMessage.text)
        // end
        return try await keepsake.chat.messages(of: conversation)
    }

    static func chatStream(_ keepsake: Keepsake) async throws {
        // snippet: chat-stream
        for try await part in keepsake.chat.stream("What did I write about the lake?", endpoint: "local") {
            switch part {
            case .sent(let message): print("in the conversation \(message.conversationId)")
            case .words(let words): print(words, terminator: "")
            case .answer(let answer): print("\n\(answer.responseMessage.sender)")
            }
        }
        // end
    }

    static func profile(_ keepsake: Keepsake) async throws -> PersonProfile {
        // snippet: profile
        try await keepsake.people.onboard(OnboardInput(name: "Ada", hobbies: ["swimming"]))
        try await keepsake.people.editProfile(EditProfileInput(bio: .set("Swims in any weather"), job: .clear))
        let profile = try await keepsake.people.profile()
        print(profile.name, profile.interests)
        // end
        return profile
    }

    static func cove(_ keepsake: Keepsake) async throws -> CreatedCove.Fields {
        // snippet: cove
        let cove = try await keepsake.coves.create(CreateCoveInput(name: "Swimmers", location: "Lake Garda"))
        let sent = try await keepsake.coves.invite(["+49 170 1234567"], to: cove.id, message: "Come along")
        for refused in sent.errors { print("\(refused.phoneNumber): \(refused.error)") }
        // end
        return cove
    }

    static func joinCove(_ keepsake: Keepsake) async throws {
        // snippet: join-cove
        for invite in try await keepsake.coves.invites() {
            let member = try await keepsake.coves.join(invite.cove.id)
            print(invite.cove.name, member.role)
        }
        // end
    }

    static func coveEvent(_ keepsake: Keepsake, in cove: CreatedCove.Fields) async throws -> RSVPStatus {
        // snippet: cove-event
        let event = try await keepsake.coves.createEvent(
            CreateCoveEventInput(coveId: cove.id, name: "First swim", date: Date(timeIntervalSinceNow: 7 * 86_400), location: "The pier"))
        let rsvp = try await keepsake.coves.answer(.going, to: event.id)
        print(event.name, rsvp.status)
        // end
        return rsvp.status
    }

    static func download(_ keepsake: Keepsake, _ id: String, to file: URL) async throws {
        // snippet: download
        let photo = try await keepsake.media.get(id)
        try await keepsake.media.download(photo.fileId, to: file)
        // end
    }

    static func copies(_ keepsake: Keepsake, _ photo: MediaItem, to file: URL) async throws -> URL? {
        // snippet: copies
        let size = MediaLibrary.Size(width: 300, format: .webp)
        try await keepsake.media.download(photo.fileId, size: size, to: file)
        let link = MediaLibrary.link(photo.url, size: size)
        // end
        return link
    }

    static func play(_ keepsake: Keepsake, _ film: MediaItem, to file: URL) async throws -> URL? {
        // snippet: play
        try await keepsake.media.downloadPlayable(film.fileId, to: file)
        let link = MediaLibrary.playableLink(film.url)
        // end
        return link
    }

    static func archive(_ keepsake: Keepsake, _ photo: MediaItem, to file: URL) async throws {
        // snippet: archive
        let link = try await keepsake.media.createArchive(of: [photo.fileId])
        print(link.url, link.count, link.size)
        try await keepsake.media.downloadArchive(of: [photo.fileId], to: file)
        // end
    }

    static func events(_ keepsake: Keepsake) async throws {
        // snippet: events
        var seen: Int64 = 0
        for try await message in keepsake.events.follow(since: seen) {
            switch message {
            case .event(let event):
                print(event.type)
                seen = event.seq
            case .reset(let seq):
                print("read all data again")
                seen = seq
            }
        }
        // end
    }

    static func errors(_ keepsake: Keepsake) async {
        // snippet: errors
        do {
            _ = try await keepsake.moments.createMood("calm", moodIntensity: 11)
        } catch let error as KeepsakeError where error.isRetryable {
            print("try again later: \(error.message)")
        } catch let error as KeepsakeError where error.code == .signedOut {
            print("show the sign-in screen")
        } catch let error as KeepsakeError {
            print("\(error.field ?? "the input") is wrong: \(error.message), request \(error.requestID ?? "-")")
        } catch {
            print("a file cannot be read: \(error.localizedDescription)")
        }
        // end
    }

    static func deleteAccount(_ keepsake: Keepsake) async throws {
        // snippet: delete-account
        let deleted = try await keepsake.auth.deleteAccount(keepCoves: true)
        print(deleted.accountID, deleted.deletedAt, deleted.receipt)
        // end
    }

    static func endpoint(_ keepsake: Keepsake) async throws {
        // snippet: endpoint
        let me = try await keepsake.send(AccountEndpoints.me, Empty())
        print(me.createdAt)
        // end
    }
}
