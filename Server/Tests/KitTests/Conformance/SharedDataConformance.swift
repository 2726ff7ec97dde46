import Foundation
import KeepsakeKit
import KeepsakeWire
import TestThreads
import Testing

/// Data that people share: profiles, friends and coves.
@Suite("KeepsakeKit on each transport and on the fake: people and coves", .blocksThreads)
struct SharedDataConformance {
    @Test("profiles and photos, and people by phone number", arguments: KitSetup.allCases)
    func profiles(_ setup: KitSetup) async throws {
        try await setup.run { world in
            let files = try KitFiles()
            let (ada, adaID) = try await world.person("ada")
            let (bob, bobID) = try await world.member("Bob")
            #expect(try await ada.people.login().onboarding)
            try await ada.people.onboard(OnboardInput(name: "Ada", birthdate: "1990-12-10", hobbies: ["boats"], bio: "Sailor"))
            let login = try await ada.people.login()
            #expect(!login.onboarding && login.verified && login.uid == adaID)
            try await ada.people.editProfile(EditProfileInput(interests: .set(["boats", "fish"]), bio: .clear))
            let own = try await ada.people.profile()
            #expect(own.id == adaID && own.name == "Ada" && own.bio == nil && own.interests == ["boats", "fish"])

            let photo = try files.fixture("photo.jpg")
            let added = try await ada.people.addPhoto(photo, isProfilePic: true, key: "photo")
            #expect(added.isProfilePic)
            #expect(try await ada.people.addPhoto(photo, isProfilePic: true, key: "photo").id == added.id)
            #expect(try await ada.people.replacePhoto(added.id, with: photo).id == added.id)
            #expect(try await ada.people.profile().photos.map(\.id) == [added.id])
            await expectRefusal(404) { try await bob.people.deletePhoto(added.id) }
            await expectRefusal(400) { try await ada.people.addPhoto(try files.text("no picture")) }

            try await world.setPhone("+491701234567", adaID)
            try await world.setPhone("+491701234568", bobID)
            let found = try await ada.people.contacts(["+49 170 1234568", "+49 170 1234500"])
            #expect(found.map(\.id) == [bobID] && found.first?.phone == "+49 170 1234568")
            try await ada.people.deletePhoto(added.id)
            #expect(try await ada.people.profile().photos.isEmpty)
        }
    }

    @Test("friend requests, friends, blocks and reports", arguments: KitSetup.allCases)
    func friends(_ setup: KitSetup) async throws {
        try await setup.run { world in
            let ((ada, adaID), (bob, bobID), (cem, cemID)) = (
                try await world.member("Ada"), try await world.member("Bob"), try await world.member("Cem")
            )
            let request = try await ada.people.sendRequest(to: bobID, key: "bob")
            #expect(request.status == .pending && request.recipientId == bobID)
            #expect(try await ada.people.sendRequest(to: bobID, key: "bob").id == request.id)
            #expect(try await ada.people.sentRequests().all().map(\.recipient.id) == [bobID])
            #expect(try await bob.people.requests().all().map(\.sender.name) == ["Ada"])
            await expectRefusal(403, "forbidden") { try await cem.people.accept(request.id) }
            let friendship = try await bob.people.accept(request.id)
            #expect(try await bob.people.accept(request.id).id == friendship.id)
            await expectRefusal(409) { try await bob.people.reject(request.id) }
            world.tick()
            let several = try await ada.people.sendRequests(to: [cemID])
            try await cem.people.reject(try #require(several.first))
            #expect(try await cem.people.requests().all().isEmpty)
            // The two people send each other a request.
            world.tick()
            _ = try await bob.people.sendRequest(to: cemID)
            #expect(try await cem.people.sendRequest(to: bobID).status == .accepted)
            #expect(try await bob.people.friends(limit: 1).all().map(\.id) == [cemID, adaID])
            #expect(try await bob.people.profile(adaID).name == "Ada")
            #expect(try await bob.people.profile().stats.friendCount == 2)
            try await bob.people.removeFriend(friendship.id)
            #expect(try await ada.people.friends().all().isEmpty)

            try await ada.people.block(bobID)
            try await ada.people.block(bobID)
            #expect(try await ada.people.blocks().all().map(\.id) == [bobID])
            await expectRefusal(404) { try await bob.people.profile(adaID) }
            await expectRefusal(404) { try await bob.people.sendRequest(to: adaID) }
            try await ada.people.unblock(bobID)
            let cancelled = try await bob.people.sendRequest(to: adaID)
            try await bob.people.cancelRequest(cancelled.id)
            #expect(try await ada.people.requests().all().isEmpty)
            try await ada.people.report(.user, bobID, reason: "Unkind words")
        }
    }

    @Test("coves: members, roles, invitations", arguments: KitSetup.allCases)
    func coves(_ setup: KitSetup) async throws {
        try await setup.run { world in
            let files = try KitFiles()
            let ((ada, adaID), (bob, bobID), (cem, cemID)) = (
                try await world.member("Ada"), try await world.member("Bob"), try await world.member("Cem")
            )
            let cover = try files.fixture("photo.jpg")
            let cove = try await ada.coves.create(CreateCoveInput(name: "Sailors", location: "Kiel"), cover: cover, key: "cove")
            #expect(try await ada.coves.create(CreateCoveInput(name: "Sailors", location: "Kiel"), cover: cover, key: "cove") == cove)
            let read = try await ada.coves.get(cove.id)
            #expect(read.isCreator && read.role == .admin && read.coverPhoto != nil && read.creator.name == "Ada")
            await expectRefusal(403) { try await bob.coves.get(cove.id) }
            world.tick()
            #expect(try await bob.coves.join(cove.id).userId == bobID)
            world.tick()
            _ = try await cem.coves.join(cove.id)
            #expect(try await ada.coves.members(cove.id, limit: 2).all().map(\.id) == [cemID, bobID, adaID])
            await expectRefusal(403) { try await bob.coves.edit(EditCoveInput(coveId: cove.id, name: .set("Ours"))) }
            #expect(try await ada.coves.setRole(.admin, of: bobID, in: cove.id).role == .admin)
            await expectRefusal(400) { try await ada.coves.setRole(CoveRole(rawValue: "OWNER"), of: bobID, in: cove.id) }
            let edited = try await bob.coves.edit(EditCoveInput(coveId: cove.id, name: .set("Ours"), description: .set("Boats")))
            #expect(edited.name == "Ours" && edited.description == "Boats" && edited.location == "Kiel")
            #expect(try await cem.people.recommended().all().map(\.id).sorted() == [adaID, bobID].sorted())
            try await bob.coves.removeMember(cemID, from: cove.id)
            await expectRefusal(403) { try await cem.coves.join(cove.id) }

            try await world.setPhone("+491701234567", adaID)
            try await world.setPhone("+491701234569", cemID)
            let sent = try await ada.coves.invite(["+491701234569", "x"], to: cove.id, message: "Come back")
            #expect(sent.invites.count == 1 && sent.errors.map(\.phoneNumber) == ["x"])
            let invite = try #require(try await cem.coves.invites().first)
            #expect(invite.message == "Come back" && invite.cove.name == "Ours" && !invite.isOpened)
            #expect(try await cem.coves.openInvite(invite.id).isOpened)
            #expect(try await ada.coves.sentInvites(to: cove.id).all().map(\.id) == [invite.id])
            _ = try await cem.coves.join(cove.id)
            #expect(try await cem.coves.list().map(\.name) == ["Ours"])
            #expect(try await ada.coves.sentInvites().all().isEmpty)
            let other = try await ada.coves.invite(["+491701234570"], to: cove.id)
            try await ada.coves.cancelInvite(try #require(other.invites.first).id)
            let (dana, danaID) = try await world.member("Dana")
            try await world.setPhone("+491701234571", danaID)
            let refused = try #require(try await ada.coves.invite(["+491701234571"], to: cove.id).invites.first)
            await expectRefusal(404) { try await bob.coves.rejectInvite(refused.id) }
            try await dana.coves.rejectInvite(refused.id)
            await expectRefusal(404) { try await dana.coves.rejectInvite(refused.id) }
            #expect(try await dana.coves.invites().isEmpty)

            try await cem.coves.leave(cove.id)
            await expectRefusal(403) { try await bob.coves.delete(cove.id) }
            try await ada.coves.delete(cove.id)
            #expect(try await bob.coves.list().isEmpty)
        }
    }

    @Test("events of coves: guests, calendar", arguments: KitSetup.allCases)
    func events(_ setup: KitSetup) async throws {
        try await setup.run { world in
            let ((ada, adaID), (bob, bobID)) = (try await world.member("Ada"), try await world.member("Bob"))
            let cove = try await ada.coves.create(CreateCoveInput(name: "Sailors", location: "Kiel"))
            _ = try await bob.coves.join(cove.id)
            // Use whole seconds, because the server keeps only milliseconds.
            let soon = Date(timeIntervalSince1970: (Date().timeIntervalSince1970 + 86_400).rounded(.down))
            let regatta = try await ada.coves.createEvent(
                CreateCoveEventInput(coveId: cove.id, name: "Regatta", date: soon, location: "Fjord"), key: "regatta")
            #expect(regatta.date == soon)
            let past = try await ada.coves.createEvent(
                CreateCoveEventInput(coveId: cove.id, name: "Launch", date: Date(timeIntervalSince1970: 1_600_000_000), location: "Fjord"))
            await expectRefusal(403) {
                try await bob.coves.createEvent(
                    CreateCoveEventInput(coveId: cove.id, name: "Mine", date: Date(), location: "Fjord"))
            }
            #expect(try await bob.coves.events(cove.id, limit: 1).all().map(\.id) == [past.id, regatta.id])
            #expect(try await bob.coves.calendar().all().map(\.coveName) == ["Sailors", "Sailors"])
            #expect(try await bob.coves.calendar(isUpcoming: true).all().map(\.id) == [regatta.id])

            #expect(try await bob.coves.answer(.maybe, to: regatta.id).status == .maybe)
            world.tick()
            #expect(try await ada.coves.answer(.going, to: regatta.id).userId == adaID)
            let read = try await bob.coves.event(regatta.id)
            #expect(read.rsvpStatus == .maybe && read.goingCount == 1 && read.host.name == "Ada" && !read.isHost)
            #expect(Set(try await bob.coves.guests(regatta.id, limit: 1).all().map(\.userId)) == [adaID, bobID])
            #expect(try await bob.coves.guests(regatta.id, status: .going).all().map(\.userName) == ["Ada"])
            try await bob.coves.removeAnswer(to: regatta.id)
            #expect(try await bob.coves.event(regatta.id).rsvpStatus == nil)
            let moved = try await ada.coves.editEvent(EditCoveEventInput(eventId: regatta.id, location: .set("Harbour")))
            #expect(moved.location == "Harbour" && moved.name == "Regatta")
            let edited = await #expect(throws: KeepsakeError.self) {
                try await bob.coves.editEvent(EditCoveEventInput(eventId: regatta.id, location: .set("Home")))
            }
            #expect(edited?.status == 403 && edited?.message == "Only the host of this event and ADMINs of its cove may edit it.")
            let deleted = await #expect(throws: KeepsakeError.self) { try await bob.coves.deleteEvent(regatta.id) }
            #expect(deleted?.status == 403 && deleted?.message == "Only the host may delete this event.")
            try await ada.coves.deleteEvent(regatta.id)
            #expect(try await bob.coves.events(cove.id).all().map(\.id) == [past.id])
            #expect(try await bob.coves.createCalendarLink().contains("/calendar.ics?token="))
            try await bob.coves.deleteCalendarLink()
        }
    }
}
