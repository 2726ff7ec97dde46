import Core
import Database
import Foundation
import KeepsakeWire
import TestKit
import TestThreads
import Testing

@testable import Chat
@testable import FeatureTestKit
@testable import Media
@testable import keepsake

@Suite("Files of a chat, once stored", .blocksThreads)
struct KeepChatFileTests {
    @Test("only the owner reads and deletes a file; ranges work", arguments: StoragePair.allCases)
    func owner(_ pair: StoragePair) async throws {
        try await TestServer.run(pair) { server in
            let ada = try await server.person("ada")
            let eve = try await server.person("eve")
            let answer = try await server.chatUpload("diary.txt", Data("my secret words".utf8), as: ada)
            let file = try answer.decode(DocumentedUploadedFile.self)
            let path = file.servePath
            #expect(try await server.send("GET", path).status == 401)
            #expect(try await server.send("GET", path, as: eve).status == 403)
            #expect(try await server.send("GET", path.replacing(ada.id, with: eve.id), as: eve).status == 404)
            for wrong in [path + "x", path.replacing(".txt", with: ".html"), path.replacing("/uploads/", with: "/images/")] {
                #expect(try await server.send("GET", wrong, as: ada).status == 404, "\(wrong)")
            }
            let part = try await server.send("GET", path, as: ada, headers: [("Range", "bytes=3-8")])
            #expect(part.status == 206 && part.text == "secret")
            #expect(try await server.send("HEAD", path, as: ada).header("Content-Length") == "15")
            // The image view of the existing chat app sends only the session's cookie.
            let session = try await server.send("POST", "/auth/session", as: ada)
            let cookie = try #require(session.header("Set-Cookie")?.split(separator: ";").first.map(String.init))
            #expect(try await server.send("GET", path, headers: [("Cookie", cookie)]).text == "my secret words")
            let own = "/api/chat/files/\(file.fileID)"
            #expect(try await server.send("DELETE", own).status == 401)
            #expect(try await server.send("DELETE", own, as: eve).status == 404)
            #expect(try await server.send("GET", path, as: ada).text == "my secret words")
            #expect(try await server.send("DELETE", own, as: ada).status == 200)
            #expect(try await server.send("DELETE", own, as: ada).status == 404)
            #expect(try await server.send("GET", path, as: ada).status == 404)
            #expect(try await server.chatFileCount() == 0)
            #expect(try await server.checkedUsage(of: ada) == QuotaUsage())
        }
    }

    @Test("a file that no message sent is deleted after 7 days, one that a message sent is kept", arguments: StoragePair.allCases)
    func sweep(_ pair: StoragePair) async throws {
        try await TestServer.run(pair) { server in
            let ada = try await server.person()
            var ids: [String] = []
            for name in ["sent.txt", "forgotten.txt"] {
                ids.append(try await server.chatUpload(name, Data(name.utf8), as: ada).decode(ChatFileObject.self).fileId)
            }
            let store = server.chatFiles()
            let (sent, owner, now) = (ids[0], ada.id, server.clock.now)
            try await server.backend.database.write { tx in try store.markSent([sent], owner: owner, at: now, tx) }
            server.clock.advance(by: .seconds(7 * 86_400 - 60))
            try await store.sweep()
            #expect(try await server.chatFileCount() == 2)
            server.clock.advance(by: .seconds(120))
            let late = try await server.chatUpload("new.txt", Data("new".utf8), as: server.person()).decode(ChatFileObject.self).fileId
            try await store.sweep()
            #expect(try await store.file(ids[0], owner: ada.id) != nil)
            #expect(try await store.file(ids[1], owner: ada.id) == nil)
            #expect(try await store.file(late, owner: ada.id) != nil)
            _ = try await server.checkedUsage(of: ada)
            // The sweep may have deleted a file that a message is about to send.
            let gone = ids[1]
            await #expect(throws: Problem.self) {
                try await server.backend.database.write { tx in try store.markSent([gone], owner: owner, at: now, tx) }
            }
        }
    }

    @Test("the library counts, exports and deletes the files, but shows them nowhere", arguments: StoragePair.allCases)
    func library(_ pair: StoragePair) async throws {
        try await TestServer.run(pair) { server in
            let ada = try await server.person()
            let own = "/api/users/user/\(ada.id)"
            let photo = try Fixture.data("photo.jpg")
            let chatted = try await server.chatUpload("lighthouse.jpg", photo, as: ada).decode(ChatFileObject.self)
            let document = try await server.chatUpload("plan.txt", Data("lighthouse".utf8), as: ada).decode(ChatFileObject.self)
            let listed = try await server.upload(.file("beach.jpg", photo), as: ada).decode(UploadResponse.self).files[0].data.fileId
            for path in ["\(own)/multimedia", "\(own)/multimedia?category=general", "\(own)/timeline", "\(own)/search?q=lighthouse"] {
                let page = try await server.send("GET", path, as: ada)
                #expect(!page.text.contains(chatted.fileId) && !page.text.contains(document.fileId), "\(path): \(page.text)")
            }
            #expect(try await server.send("GET", "\(own)/multimedia", as: ada).text.contains(listed))
            // A file of a chat cannot be moved into the gallery.
            let moved = try await server.send(
                "PATCH", "\(own)/multimedia/\(chatted.fileId)", as: ada, headers: [("Content-Type", "application/json")],
                body: Data(#"{"category":"travel"}"#.utf8))
            #expect(moved.status == 404)
            let copy = try await server.send("GET", "\(own)/multimedia/files/\(chatted.fileId)?w=64", as: ada)
            #expect(copy.status == 200 && copy.body.count < photo.count)
            #expect(try await server.send("GET", "\(own)/multimedia/files/\(document.fileId)?w=64", as: ada).status == 422)
            let downloaded = try await server.send("GET", "\(own)/multimedia/files/\(document.fileId)", as: ada)
            #expect(downloaded.header("Content-Disposition")?.hasPrefix("attachment") == true)
            #expect(try await server.checkedUsage(of: ada).files == 3)
            // A file that is deleted by the library's own route leaves the chat, too.
            #expect(try await server.send("DELETE", "\(own)/multimedia/\(chatted.fileId)", as: ada).status == 200)
            #expect(try await server.send("GET", "/api/chat/files/serve\(chatted.filepath)", as: ada).status == 404)
            #expect(try await server.chatFileCount() == 1)
            let documents: Int64? = try await server.backend.database.read { tx in
                try tx.row("SELECT COUNT(*) AS n FROM search_document WHERE kind = 'chat_file' AND id <> \(document.fileId)")?.get("n")
            }
            #expect(documents == 0)
            _ = try await server.checkedUsage(of: ada)
        }
    }

    @Test(
        "a picture has a thumbnail and other variants, before and after it is sent; a stranger gets none", arguments: StoragePair.allCases)
    func thumbnails(_ pair: StoragePair) async throws {
        try await TestServer.run(pair) { server in
            let (ada, eve) = (try await server.person(), try await server.person("eve"))
            let photo = try Fixture.data("photo.jpg")
            let file = try await server.chatUpload("lighthouse.jpg", photo, as: ada).decode(ChatFileObject.self)
            func path(of person: TestServer.Person) -> String { "/api/users/user/\(person.id)/multimedia/files/\(file.fileId)" }
            for isSent in [false, true] {
                if isSent { _ = try await server.say("Look", files: [file], as: ada) }
                // The console requests thumbnails like this.
                let thumbnail = try await server.send("GET", path(of: ada) + "?w=512&h=512&fit=cover", as: ada)
                #expect(thumbnail.status == 200 && thumbnail.header("Content-Type")?.hasPrefix("image/") == true, "\(isSent)")
                #expect(!thumbnail.body.isEmpty && thumbnail.body != photo)
                let variant = try await server.send("GET", path(of: ada) + "?w=64&format=webp", as: ada)
                #expect(variant.status == 200 && variant.header("Content-Type") == "image/webp", "\(isSent)")
                let pixels = try DecodedImage([UInt8](variant.body), "webp")
                #expect(pixels.width == 64)
                for query in ["", "?w=512&h=512&fit=cover", "?w=64&format=webp"] {
                    #expect(try await server.send("GET", path(of: eve) + query, as: eve).status == 404, "\(query)")
                    #expect(try await server.send("GET", path(of: ada) + query, as: eve).status == 403, "\(query)")
                    #expect(try await server.send("GET", path(of: ada) + query).status == 401, "\(query)")
                }
            }
            // A deleted file has no variants, not even one that was stored before.
            #expect(try await server.send("DELETE", "/api/chat/files/\(file.fileId)", as: ada).status == 200)
            #expect(try await server.send("GET", path(of: ada) + "?w=64&format=webp", as: ada).status == 404)
        }
    }

    @Test("reading files, finding unsent ones and those whose text is pending use their indexes", arguments: StoragePair.allCases)
    func plans(_ pair: StoragePair) async throws {
        try await TestServer.run(pair, tables: nil) { server in
            let database = server.backend.database
            let unsent = try await QueryPlan(ChatFileStore.unsent(before: server.clock.now, limit: 100), on: database)
            #expect(unsent.uses("chat_file_unsent") && unsent.faults.isEmpty, "\(unsent)")
            for statement in [ChatFileStore.firstPending(of: "o"), ChatFileStore.firstPending(after: "o")] {
                let pending = try await QueryPlan(statement, on: database)
                #expect(pending.uses("chat_file_pending") && pending.faults.isEmpty, "\(pending)")
            }
            let some = try await QueryPlan(ChatFileStore.some(["a", "b"], owner: "o"), on: database)
            #expect(some.faults.isEmpty, "\(some)")
        }
    }
}
