import Foundation
import KeepsakeKit
import KeepsakeWire
import TestThreads
import Testing

/// Data of a single account: the account itself and its files. `OwnEntriesConformance` tests its entries.
@Suite("KeepsakeKit on each transport and on the fake: own data", .blocksThreads)
struct OwnDataConformance {
    @Test("accounts: registering, changing, signing in and out, and ending other sessions", arguments: KitSetup.allCases)
    func accounts(_ setup: KitSetup) async throws {
        try await setup.run { world in
            let tokens = MemoryTokenStore()
            let phone = world.client(tokens)
            let user = try await phone.auth.register(email: "ada@example.org", password: "correct horse", name: "Ada")
            var me = try await phone.auth.me()
            #expect(me.usage?.files == 0 && me.profilePictureURL == nil)
            me.usage = nil
            #expect(me == user)
            #expect(try await phone.auth.userID == user.id)
            #expect(try await phone.auth.update(UpdateMeInput(timeZone: .set("GMT"))).timeZone == "UTC")
            let changed = try await phone.auth.update(UpdateMeInput(name: .set("Ada L."), timeZone: .set("Europe/Berlin")))
            #expect(changed.name == "Ada L." && changed.timeZone == "Europe/Berlin" && changed.email == "ada@example.org")
            await expectRefusal(400) { try await phone.auth.update(UpdateMeInput(timeZone: .set("Nowhere/Town"))) }
            let zoe = try await world.client().auth.register(email: "zoe@example.org", password: "correct horse", timeZone: "Asia/Tokyo")
            #expect(zoe.timeZone == "Asia/Tokyo")
            let nowhere = await #expect(throws: KeepsakeError.self) {
                try await world.client().auth.register(email: "max@example.org", password: "correct horse", timeZone: "Nowhere/Town")
            }
            #expect(nowhere?.status == 400 && nowhere?.field == "time_zone")
            let short = await #expect(throws: KeepsakeError.self) {
                try await world.client().auth.register(email: "eve@example.org", password: "short")
            }
            #expect(short?.field == "password")
            await expectRefusal(409) { try await world.client().auth.register(email: "ada@example.org", password: "another horse") }
            await expectRefusal(400) { try await world.client().auth.register(email: "eve@example.org", password: "short") }
            await expectRefusal(403) { try await world.client().auth.confirmRegistration(code: "K7QF2", password: "correct horse") }
            await expectRefusal(403) { try await world.client().auth.resendConfirmation(email: "eve@example.org") }

            let tablet = world.client()
            await expectRefusal(401) { try await tablet.auth.signIn(email: "ada@example.org", password: "wrong horse") }
            #expect(try await tablet.auth.userID == nil)
            try await tablet.auth.signIn(email: "ada@example.org", password: "correct horse")
            let sessions = try await phone.auth.sessions()
            #expect(sessions.count == 2 && sessions.filter(\.isCurrent).count == 1)
            #expect(try await phone.auth.endOtherSessions() == 1)
            await expectRefusal(401) { try await tablet.auth.me() }
            // When the server refuses a refresh, the client signs out.
            await #expect { try await tablet.auth.me() } throws: { ($0 as? KeepsakeError)?.code == .signedOut }

            try await tablet.auth.signIn(email: "ada@example.org", password: "correct horse")
            await expectRefusal(403, "wrong_password") { try await phone.auth.changePassword(from: "wrong horse", to: "another horse") }
            await expectRefusal(400) { try await phone.auth.changePassword(from: "correct horse", to: "short") }
            #expect(try await phone.auth.changePassword(from: "correct horse", to: "another horse").ended == 1)
            #expect(try await phone.auth.changePassword(from: "correct horse", to: "another horse").ended == 0)
            await expectRefusal(401) { try await tablet.auth.me() }
            await expectRefusal(401) { try await tablet.auth.signIn(email: "ada@example.org", password: "correct horse") }

            world.advance(.seconds(4_000))
            #expect(try await phone.auth.me().id == user.id)
            try await phone.auth.signOut()
            #expect(await tokens.load() == nil)
            await #expect { try await phone.auth.me() } throws: { ($0 as? KeepsakeError)?.code == .signedOut }
        }
    }

    @Test("a deleted account cannot sign in and signs out on the device; its coves end unless it keeps them", arguments: KitSetup.allCases)
    func deletion(_ setup: KitSetup) async throws {
        try await setup.run { world in
            let ((ada, id), (bob, _), (cem, _)) = (
                try await world.member("ada"), try await world.member("bob"), try await world.member("cem")
            )
            let cove = try await ada.coves.create(CreateCoveInput(name: "Sailors", location: "Kiel"))
            for member in [bob, cem] {
                world.tick()
                _ = try await member.coves.join(cove.id)
            }
            #expect(try await ada.auth.deleteAccount(keepCoves: true).accountID == id)
            #expect(try await ada.auth.userID == nil)
            await expectRefusal(401) { try await ada.auth.signIn(email: "ada@example.org", password: "correct horse") }
            let kept = try await bob.coves.get(cove.id)
            #expect(kept.isCreator && kept.role == .admin && kept.name == "Sailors")
            _ = try await bob.auth.deleteAccount()
            await expectRefusal(404) { try await cem.coves.get(cove.id) }
        }
    }

    @Test("files: upload, pages, labels, download, deletion, keys and refusals", arguments: KitSetup.allCases)
    func media(_ setup: KitSetup) async throws {
        try await setup.run { world in
            let files = try KitFiles()
            let (ada, _) = try await world.person()
            let photo = try files.fixture("photo.jpg", as: "sea \"at night\".jpg")
            var ids: [String] = []
            for number in 1...3 {
                let labels = MediaLibrary.Labels(title: "Sea \(number)", tags: ["blue", "sea"])
                let uploaded = try await ada.media.upload([photo], labels: labels, key: "photo-\(number)")
                let file = try #require(uploaded.files.first).data
                #expect(uploaded.count == 1 && file.type == "image/jpeg" && file.size == 28_535)
                let read = try await ada.media.get(file.fileId)
                #expect(file.title == read.title && file.tags == ["blue", "sea"] && file.category == "general")
                #expect(file.createdDate == read.createdDate && file.takenDate == read.takenDate)
                ids.append(file.fileId)
                world.tick()
            }
            let again = try await ada.media.upload([photo], labels: .init(title: "Sea 3", tags: ["blue", "sea"]), key: "photo-3")
            #expect(again.files.first?.data.fileId == ids[2])
            await expectRefusal(422) { try await ada.media.upload([photo], labels: .init(title: "Another"), key: "photo-3") }
            #expect(try await ada.media.list(limit: 2).all().map(\.fileId) == ids.reversed())
            #expect(try await ada.media.list(tag: "red").all().isEmpty)
            // An empty parameter counts as absent.
            #expect(try await ada.media.list(tag: "", limit: 2).all().map(\.fileId) == ids.reversed())
            let hash = try await MediaLibrary.sha256(of: photo)
            #expect(hash == "e6e6c6343eb09ff6348ea29bd9d8e6de21d65544b3d6f2e8d07a6c0cc37a51a4")
            #expect(try await ada.media.list(sha256: hash).all().map(\.fileId) == ids.reversed())
            #expect(try await ada.media.list(sha256: hash.uppercased()).all().map(\.fileId) == ids.reversed())
            #expect(try await ada.media.list(sha256: String(repeating: "0", count: 64)).all().isEmpty)
            await expectRefusal(400) { try await ada.media.list(sha256: "abc").page() }
            await expectRefusal(400) { try await ada.media.list(limit: 101).page() }

            let changed = try await ada.media.update(ids[0], title: .set("Harbour"), tags: .set(["green"]))
            #expect(changed.title == "Harbour" && changed.tags == ["green"])
            #expect(try await ada.media.get(ids[0]) == changed)
            let copy = files.url("copy.jpg")
            try await ada.media.download(ids[0], to: copy)
            #expect(try Data(contentsOf: copy) == Data(contentsOf: photo))

            await expectRefusal(422, "unprocessable_entity") { try await ada.media.upload([try files.text("no picture")]) }
            let partly = try await ada.media.upload([photo, try files.text("no picture")])
            #expect(partly.count == 1 && partly.errors?.count == 1)
            #expect(partly.refused?.map(\.index) == [1] && partly.refused?.map(\.code) == [422])
            #expect(partly.groupId != nil && partly.files.first?.data.groupId == partly.groupId)
            try await ada.media.delete(try #require(partly.files.first).data.fileId)
            let texts = [try files.text("no picture"), try files.text("no film")]
            let both = await #expect(throws: KeepsakeError.self) { _ = try await ada.media.upload(texts) }
            #expect(both?.status == 422 && both?.field == "file" && both?.refused?.map(\.index) == [0, 1])
            #expect(both?.refused?.compactMap(\.name) == texts.map(\.lastPathComponent))
            let eleven = Array(repeating: photo, count: 11)
            await expectRefusal(400) { try await ada.media.upload(eleven) }
            let (eve, _) = try await world.person("eve")
            await expectRefusal(404) { try await eve.media.get(ids[0]) }
            let missing = files.url("missing.jpg")
            await expectRefusal(404) { try await eve.media.download(ids[0], to: missing) }
            #expect(!FileManager.default.fileExists(atPath: missing.path))

            try await ada.media.delete(ids[2])
            await expectRefusal(404, "not_found") { try await ada.media.get(ids[2]) }
            await expectRefusal(410) {
                try await ada.media.upload([photo], labels: .init(title: "Sea 3", tags: ["blue", "sea"]), key: "photo-3")
            }
        }
    }

    @Test("copies of files, films as browsers play them, and archives", arguments: KitSetup.allCases)
    func copies(_ setup: KitSetup) async throws {
        try await setup.run { world in
            let files = try KitFiles()
            let (ada, id) = try await world.person()
            let (photo, film) = (try files.fixture("photo.jpg"), try files.fixture("moov-first.mp4"))
            let stored = try await ada.media.upload([photo, film]).files.map(\.data)
            let ids = stored.map(\.fileId)
            try #require(ids.count == 2)
            let (photoBytes, filmBytes) = (try Data(contentsOf: photo), try Data(contentsOf: film))
            let copy = files.url("copy")
            let marks = [Data([0xFF, 0xD8, 0xFF]), Data("WEBP".utf8), Data("ftypavif".utf8)]
            for (format, mark) in zip(MediaLibrary.Size.Format.allCases, marks) {
                let size = MediaLibrary.Size(width: 64, height: 64, isCover: true, format: format, quality: 50)
                try await ada.media.download(ids[0], size: size, to: copy)
                // The fake server sends the original in each size.
                let start = try Data(contentsOf: copy).prefix(32)
                #expect(world.fake != nil || start.range(of: mark) != nil, "\(format)")
            }
            for (size, field) in [
                (.init(width: 2_049), "w"), (.init(height: 0), "h"), (.init(width: 64, isCover: true), "h"),
                (.init(width: 64, quality: 101), "q"), (.init(format: .webp), "w"),
            ] as [(MediaLibrary.Size, String)] {
                let refusal = await #expect(throws: KeepsakeError.self) { try await ada.media.download(ids[0], size: size, to: copy) }
                #expect(refusal?.status == 400 && refusal?.field == field, "\(size)")
            }
            try await ada.media.downloadPlayable(ids[1], to: copy)
            #expect(try Data(contentsOf: copy) == filmBytes)
            try await ada.media.downloadPlayable(ids[0], to: copy)
            #expect(try Data(contentsOf: copy) == photoBytes)

            await expectRefusal(400) { try await ada.media.createArchive(of: []) }
            await expectRefusal(404) { try await ada.media.createArchive(of: [ids[0], "missing"]) }
            let (eve, _) = try await world.person("eve")
            await expectRefusal(404) { try await eve.media.createArchive(of: ids) }
            let link = try await ada.media.createArchive(of: ids + [ids[0]])
            #expect(link.count == 2 && link.size == photoBytes.count + filmBytes.count && link.url.hasPrefix("http"))
            let missing = MediaArchivePath(userId: id, archiveId: "missing")
            await expectRefusal(404) { try await ada.download(MediaEndpoints.archive, missing, to: copy) }
            try await ada.media.downloadArchive(of: ids, to: copy)
            let archive = try Data(contentsOf: copy)
            #expect(archive.starts(with: [0x50, 0x4B, 0x03, 0x04]))
            #expect(archive.range(of: photoBytes) != nil && archive.range(of: filmBytes) != nil)
        }
    }

    @Test("files in the order in which they were stored, forwards and backwards, and those of a range", arguments: KitSetup.allCases)
    func stored(_ setup: KitSetup) async throws {
        try await setup.run { world in
            let files = try KitFiles()
            let (ada, _) = try await world.person()
            let photo = try files.fixture("photo.jpg")
            var (ids, times): ([String], [Date]) = ([], [])
            for tag in ["lake", "sea", "lake"] {
                let uploaded = try await ada.media.upload([photo], labels: .init(tags: [tag]))
                let id = try #require(uploaded.files.first).data.fileId
                ids.append(id)
                times.append(try await ada.media.get(id).createdDate)
                world.tick()
            }
            #expect(try await ada.media.list(isAscending: true, limit: 2).all().map(\.fileId) == ids)
            #expect(try await ada.media.list(tag: "lake", isAscending: true, limit: 1).all().map(\.fileId) == [ids[0], ids[2]])
            // The limits are half a second before the second and the third file.
            let (second, third) = (times[1].addingTimeInterval(-0.5), times[2].addingTimeInterval(-0.5))
            #expect(try await ada.media.list(from: second).all().map(\.fileId) == [ids[2], ids[1]])
            #expect(try await ada.media.list(to: third, type: "image", limit: 1).all().map(\.fileId) == [ids[1], ids[0]])
            #expect(try await ada.media.list(from: second, to: third).all().map(\.fileId) == [ids[1]])
            #expect(try await ada.media.list(tag: "lake", from: second, to: third).all().isEmpty)
        }
    }

    @Test("files in the order in which they were taken, waveforms and profile pictures", arguments: KitSetup.allCases)
    func takenAndDrawn(_ setup: KitSetup) async throws {
        try await setup.run { world in
            let files = try KitFiles()
            let (ada, _) = try await world.person()
            let (photo, sound) = (try files.fixture("photo.jpg"), try files.fixture("plain.wav"))
            var ids: [String] = []
            for _ in 1...3 {
                let uploaded = try await ada.media.upload([photo])
                ids.append(try #require(uploaded.files.first).data.fileId)
                world.tick()
            }
            let start = try #require(WireDate.parse("2020-05-01T08:00:00.000Z"))
            for (id, day) in zip(ids, [2.0, 1.0, 3.0]) {
                _ = try await ada.media.update(id, takenAt: .set(start.addingTimeInterval(day * 86_400)))
            }
            #expect(try await ada.media.listByTaken(limit: 1).all().map(\.fileId) == [ids[2], ids[0], ids[1]])
            #expect(try await ada.media.listByTaken(isAscending: true, limit: 2).all().map(\.fileId) == [ids[1], ids[0], ids[2]])
            #expect(try await ada.media.listByTaken(type: "video").all().isEmpty)
            for id in ids[0...1] { _ = try await ada.media.update(id, tags: .set(["lake"])) }
            #expect(try await ada.media.listByTaken(tag: "lake", limit: 1).all().map(\.fileId) == [ids[0], ids[1]])
            let tagged = ada.media.listByTaken(tag: "lake", type: "image", isAscending: true, limit: 1)
            #expect(try await tagged.all().map(\.fileId) == [ids[1], ids[0]])
            #expect(try await ada.media.list(tag: "lake", type: "image").all().map(\.fileId) == [ids[1], ids[0]])
            #expect(try await ada.media.list(category: "general", type: "image").all().map(\.fileId) == ids.reversed())
            #expect(try await ada.media.list(tag: "lake", type: "video").all().isEmpty)
            let both = ada.media.listByTaken(category: "general", tag: "lake", limit: 1)
            #expect(try await both.all().map(\.fileId) == [ids[0], ids[1]])
            let ascending = ada.media.listByTaken(category: "general", tag: "lake", type: "image", isAscending: true)
            #expect(try await ascending.all().map(\.fileId) == [ids[1], ids[0]])
            #expect(try await ada.media.list(category: "general", tag: "lake", type: "image").all().map(\.fileId) == [ids[1], ids[0]])
            #expect(try await ada.media.list(groupId: "g", tag: "lake", type: "image").all().isEmpty)
            let dated = try await ada.media.upload([photo], labels: .init(takenAt: start.addingTimeInterval(0.125)))
            let datedID = try #require(dated.files.first).data.fileId
            #expect(try await ada.media.get(datedID).takenAt == Int(start.timeIntervalSince1970) * 1_000 + 125)
            try await ada.media.delete(datedID)
            let (second, third) = (start.addingTimeInterval(2 * 86_400), start.addingTimeInterval(3 * 86_400))
            #expect(try await ada.media.listByTaken(from: second, to: third).all().map(\.fileId) == [ids[0]])

            // The media library accepts sounds only as a part of an entry.
            let mood = try await ada.moments.createMood("calm", voiceNote: sound)
            let note = try #require(mood.voiceNote.flatMap { URL(string: $0) }).lastPathComponent
            #expect(mood.files == [EntryFile(id: note, type: "audio/wav")])
            let peaks = try await ada.media.waveform(note).peaks
            #expect(peaks.count == 200 && peaks.allSatisfy { 0...1 ~= $0 })
            await expectRefusal(404) { try await ada.media.waveform(ids[0]) }
            let (eve, _) = try await world.person("eve")
            await expectRefusal(404) { try await eve.media.waveform(note) }

            #expect(try await ada.auth.me().profilePictureURL == nil)
            let link = try await ada.media.uploadProfilePicture(photo, key: "me")
            #expect(link.hasPrefix("http"))
            _ = try await ada.media.uploadProfilePicture(photo, key: "me")
            #expect(try await ada.auth.me().profilePictureURL != nil)
        }
    }
}
