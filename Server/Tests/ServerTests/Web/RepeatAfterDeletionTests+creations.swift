import Core
import Database
import Foundation
import KeepsakeWire
import Media
import TestKit
import Testing

@testable import FeatureTestKit
@testable import Web
@testable import keepsake

/// The routes that create resources.
extension RepeatAfterDeletionTests {
    /// Creates a cove for the person.
    private static func makeCove(_ server: TestServer, by person: TestServer.Person) async throws -> String {
        let cove = try await server.sendJSON("POST", "/create-cove", ["name": "Chess club", "location": "Here"], as: person)
        return try cove.decodeCoves(CreatedCove.self).cove.id
    }

    static let creations: [Creation] = [
        .moment("moods", [("mood", "calm")]), .moment("memories", [("title", "Sea")]),
        .moment("events", [("title", "Sea"), ("date", "2026-12-31T20:00:00Z")]),
        Creation(
            route: "POST /api/users/user/{userId}/multimedia/swift",
            send: { server, person, _, key in
                try await server.upload(.file("a.jpg", try Fixture.data("photo.jpg")), as: person, key: key)
            },
            address: { server, person, _, answer in
                server.moments(person, "multimedia/\(try answer.decode(UploadResponse.self).files[0].data.fileId)")
            }),
        Creation(
            route: "POST /api/users/user/{userId}/profile-picture/swift",
            send: { server, person, _, key in try await server.sendProfilePicture("photo.jpg", as: person, key: key) },
            address: { server, person, _, _ in
                let row = try await server.backend.database.read { tx in try tx.row("SELECT media FROM profile_picture") }
                return server.moments(person, "multimedia/\(try #require(row).get("media", as: String.self))")
            }),
        Creation(
            route: "POST /v0/capsules",
            send: { server, person, _, key in
                try await server.createCapsule(["duration": 30.5, "file_size": 50], as: person, key: key)
            },
            address: { _, _, _, answer in "/v0/capsules/\(try answer.decode(CapsuleUpload.self).capsule.id)" }),
        Creation(
            route: "POST /v0/capsules/{id}/audio",
            prepare: { server, person in try await server.makeCapsule(50, as: person).capsule.id },
            send: { server, person, capsule, key in
                try await server.uploadAudio(try Fixture.data("plain.wav"), to: capsule, as: person, key: key)
            },
            address: { _, _, capsule, _ in "/v0/capsules/\(capsule)" }),
        Creation(
            route: "POST /userImage",
            send: { server, person, _, key in try await server.addPhoto("photo.jpg", as: person, key: key) },
            address: { server, person, _, _ in try await server.addressOfPhoto(as: person) }),
        Creation(
            route: "POST /userImageUpdate",
            prepare: { server, person in try await server.addPhoto("photo.jpg", as: person).decode(PhotoResponse.self).photo.id },
            send: { server, person, photo, key in try await server.replacePhoto(photo, "palette.png", as: person, key: key) },
            address: { server, person, _, _ in try await server.addressOfPhoto(as: person) }),
        Creation(
            route: "POST /friend-request",
            prepare: { server, _ in try await server.person("bob").id },
            send: { server, person, bob, key in
                try await server.sendJSON("POST", "/friend-request", ["toUserIds": [bob]], as: person, key: key)
            },
            delete: { server, person, _, answer in
                let request = try #require(answer.decodeCoves(FriendRequestIdsResponse.self).requestIds.first)
                return try await server.sendJSON("POST", "/cancel-friend-request", ["requestId": request], as: person)
            }),
        Creation(
            route: "POST /send-friend-request",
            prepare: { server, _ in try await server.person("bob").id },
            send: { server, person, bob, key in
                try await server.sendJSON("POST", "/send-friend-request", ["recipientId": bob], as: person, key: key)
            },
            delete: { server, person, _, answer in
                let request = try #require(answer.decodeCoves(SendFriendRequestResponse.self).request?.id)
                return try await server.sendJSON("POST", "/cancel-friend-request", ["requestId": request], as: person)
            }),
        Creation(
            route: "POST /create-cove",
            send: { server, person, _, key in
                try await server.sendJSON("POST", "/create-cove", ["name": "Sea", "location": "Here"], as: person, key: key)
            },
            delete: { server, person, _, answer in
                let cove = try answer.decodeCoves(CreatedCove.self).cove.id
                return try await server.sendJSON("POST", "/delete-cove", ["coveId": cove], as: person)
            }),
        Creation(
            route: "POST /join-cove",
            prepare: { server, _ in try await makeCove(server, by: server.person("bob")) },
            send: { server, person, cove, key in
                try await server.sendJSON("POST", "/join-cove", ["coveId": cove], as: person, key: key)
            },
            delete: { server, person, cove, _ in
                try await server.sendJSON("POST", "/leave-cove", ["coveId": cove], as: person)
            }),
        Creation(
            route: "POST /send-invite",
            prepare: { server, person in try await makeCove(server, by: person) },
            send: { server, person, cove, key in
                let object: [String: Any] = ["coveId": cove, "phoneNumbers": ["+14155552671"]]
                return try await server.sendJSON("POST", "/send-invite", object, as: person, key: key)
            },
            delete: { server, person, _, answer in
                let invite = try #require(answer.decodeCoves(SentInvites.self).invites.first).id
                return try await server.sendJSON("DELETE", "/cancel-invite", ["inviteId": invite], as: person)
            }),
        Creation(
            route: "POST /create-event",
            prepare: { server, person in try await makeCove(server, by: person) },
            send: { server, person, cove, key in
                let object = ["coveId": cove, "name": "Party", "date": "2026-06-24T18:03:11.482Z", "location": "Garden"]
                return try await server.sendJSON("POST", "/create-event", object, as: person, key: key)
            },
            delete: { server, person, _, answer in
                let event = try answer.decodeCoves(CreatedCoveEvent.self).event.id
                return try await server.sendJSON("POST", "/delete-event", ["eventId": event], as: person)
            }),
        Creation(
            route: "POST /upload/{captureId}",
            send: { server, person, _, key in
                try await server.upload(.file("a.jpg", try Fixture.data("photo.jpg")), to: "/upload/abc", as: person, key: key)
            },
            address: { server, person, _, _ in
                let row = try await server.backend.database.read { tx in
                    try tx.row("SELECT media FROM capture_file WHERE owner = \(person.id)")
                }
                return server.moments(person, "multimedia/\(try #require(row).get("media", as: String.self))")
            }),
        Creation(
            route: "POST /query-upload/{queryId}",
            send: { server, person, _, key in
                try await server.upload(.file("a.jpg", try Fixture.data("photo.jpg")), to: "/query-upload/abc", as: person, key: key)
            },
            address: { server, person, _, _ in
                let row = try await server.backend.database.read { tx in
                    try tx.row("SELECT media FROM capture_file WHERE owner = \(person.id)")
                }
                return server.moments(person, "multimedia/\(try #require(row).get("media", as: String.self))")
            }),
        Creation(
            route: "POST /api/chat/files/upload",
            send: { server, person, _, key in
                var body = MultipartBody()
                body.add("file", fileName: "a.txt", type: "text/plain", Data("Apples.".utf8))
                body.close()
                return try await server.upload(body, to: "/api/chat/files/upload", as: person, key: key)
            },
            address: { _, _, _, answer in "/api/chat/files/\(try #require(try answer.json()["file_id"] as? String))" }),
        Creation(
            route: "POST /contacts/known/{id}/split",
            prepare: { server, person in try await server.insertMention(of: person) },
            send: { server, person, prepared, key in
                try await server.sendJSON(
                    "POST", "/contacts/known/\(prepared)/split", ["captureIds": [prepared], "name": "John Smith"], as: person, key: key)
            },
            address: { _, _, _, answer in
                "/contacts/known/\(try #require(try answer.json()["id"] as? String))"
            }),
    ]
}

extension RepeatAfterDeletionTests.Creation {
    /// A creation whose resource is deleted by a DELETE request.
    /// - Parameter address: returns the path of the resource.
    init(
        route: String,
        prepare: @escaping @Sendable (TestServer, TestServer.Person) async throws -> String = { _, _ in "" },
        send: @escaping @Sendable (TestServer, TestServer.Person, _ prepared: String, _ key: String) async throws -> TestServer.Answer,
        address: @escaping @Sendable (TestServer, TestServer.Person, _ prepared: String, TestServer.Answer) async throws -> String
    ) {
        self.init(
            route: route, prepare: prepare, send: send,
            delete: { server, person, prepared, answer in
                try await server.send("DELETE", try await address(server, person, prepared, answer), as: person)
            })
    }
}

extension TestServer {
    /// Inserts a contact and a capture that mentions it, with the same id.
    fileprivate func insertMention(of person: Person) async throws -> String {
        let id = UUID().uuidString.lowercased()
        try await backend.database.write { tx in
            try tx.run(
                """
                INSERT INTO capture (owner, id, at, zone, day, hour, hour_start, status, version, created_at, row_bytes)
                VALUES (\(person.id), \(id), 0, 'UTC', '1970-01-01', 0, 0, 'processed', 1, 0, 0)
                """)
            try tx.run(
                """
                INSERT INTO contact (id, owner, name, first_seen, last_seen, mention_count, by_user, row_bytes)
                VALUES (\(id), \(person.id), 'John', 0, 0, 1, 1, 0)
                """)
            try tx.run("INSERT INTO contact_mention (owner, capture, contact, at) VALUES (\(person.id), \(id), \(id), 0)")
        }
        return id
    }

    /// The path of the person's only photo in the library.
    fileprivate func addressOfPhoto(as person: Person) async throws -> String {
        let row = try await backend.database.read { tx in try tx.row("SELECT media FROM profile_photo WHERE account = \(person.id)") }
        return moments(person, "multimedia/\(try #require(row).get("media", as: String.self))")
    }
}
