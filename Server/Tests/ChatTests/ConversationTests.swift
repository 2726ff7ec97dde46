import Core
import Database
import Foundation
import KeepsakeWire
import TestKit
import TestThreads
import Testing

@testable import Chat
@testable import FeatureTestKit
@testable import keepsake

/// Conversations as the existing chat app has them. The model `local` answers.
@Suite("Conversations", .blocksThreads)
struct ConversationTests {
    @Test("a message is stored with its answer, titled, listed, renamed, searched, exported and deleted", arguments: StoragePair.allCases)
    func life(_ pair: StoragePair) async throws {
        try await TestServer.run(pair) { server in
            let (ada, eve) = (try await server.person(), try await server.person("eve"))
            let file = try await server.uploadChatFile("plan.txt", Data("The blue folder is in the attic.".utf8), as: ada)
            let first = try await server.say("Where is the blue folder?", files: [file], as: ada)
            let conversation = first.conversation.conversationId
            #expect(first.final && first.title == "Where is the blue folder?" && first.requestMessage.isCreatedByUser)
            #expect(first.requestMessage.parentMessageId == "00000000-0000-0000-0000-000000000000")
            #expect(first.responseMessage.parentMessageId == first.requestMessage.messageId && !first.responseMessage.unfinished)
            #expect(first.requestMessage.files.map(\.fileId) == [file.fileId])
            #expect(first.responseMessage.text.contains(#"From the file "plan.txt": The blue folder is in the attic."#))
            #expect(first.responseMessage.text.hasPrefix("No model is configured"))
            // A message follows the one that was sent before it, whatever parent the client names.
            server.clock.advance(by: .seconds(5))
            let second = try await server.say("And the red one?", in: conversation, as: ada)
            #expect(second.requestMessage.parentMessageId == first.responseMessage.messageId)
            let other = try await server.say("Something else", as: ada)
            #expect(
                try await server.messages(conversation, as: ada).map(\.messageId) == [
                    first.requestMessage.messageId, first.responseMessage.messageId, second.requestMessage.messageId,
                    second.responseMessage.messageId,
                ])
            #expect(try await server.conversations(as: ada).count == 2)
            let raw = try await server.send("GET", "/api/chat/messages/\(conversation)", as: ada)
            #expect(!raw.text.contains("null") && !raw.text.contains(".000"), "nothing is null, and dates have no fractions")

            // The lists are read in pages.
            let page = try await server.send("GET", "/api/chat/convos?limit=1", as: ada).chat(ConversationPage.self)
            #expect(page.conversations.count == 1 && page.pageNumber == 1 && page.pages == 1)
            let cursor = try #require(page.nextCursor?.addingPercentEncoding(withAllowedCharacters: .alphanumerics))
            let rest = try await server.send("GET", "/api/chat/convos?limit=1&cursor=\(cursor)", as: ada).chat(ConversationPage.self)
            #expect(Set((page.conversations + rest.conversations).map(\.conversationId)).count == 2 && rest.nextCursor == nil)
            let older = try await server.send(
                "GET", "/api/chat/messages/\(conversation)?before=\(second.requestMessage.messageId)&limit=1", as: ada
            ).chat([ChatMessage].self)
            #expect(older.map(\.messageId) == [first.responseMessage.messageId])

            // Renaming keeps later messages from changing the title.
            let renamed = try await server.sendJSON(
                "POST", "/api/chat/convos/update", ["conversationId": conversation, "title": "The folder"], as: ada)
            #expect(try renamed.chat(ChatConversation.self).title == "The folder")

            // Search finds words of messages and of files.
            let found = try await server.send("GET", "/api/chat/search?q=attic", as: ada).chat(ChatSearchPage.self)
            let hit = found.messages.first { $0.messageId == first.requestMessage.messageId }
            #expect(hit?.conversationTitle == "The folder")
            let words = try await server.send("GET", "/api/chat/search?q=something", as: ada).chat(ChatSearchPage.self)
            #expect(words.messages.map(\.messageId) == [other.requestMessage.messageId])
            // The search over everything does not find messages.
            let everything = try await server.send("GET", server.moments(ada, "search") + "?q=attic", as: ada)
            #expect(everything.status == 200 && !everything.text.contains("attic"))

            let markdown = try await server.send("GET", "/api/chat/convos/\(conversation)/export", as: ada)
            #expect(markdown.status == 200 && markdown.text.hasPrefix("# The folder\n") && markdown.text.contains("And the red one?"))
            #expect(markdown.header("content-type")?.hasPrefix("text/markdown") == true)

            // Another account has no access to the conversation.
            for (method, path, body, field) in [
                ("GET", "/api/chat/messages/\(conversation)", nil, "conversationId"),
                ("GET", "/api/chat/messages?conversationId=\(conversation)", nil, "conversationId"),
                ("GET", "/api/chat/convos/\(conversation)/export", nil, "id"),
                ("GET", "/api/chat/agents/chat/stream/\(conversation)", nil, nil),
                ("POST", "/api/chat/agents/chat/abort", ["conversationId": conversation], "conversationId"),
                ("POST", "/api/chat/convos/update", ["conversationId": conversation, "title": "x"], "conversationId"),
                ("DELETE", "/api/chat/convos", ["arg": ["conversationId": conversation]], "conversationId"),
                ("POST", "/api/chat/agents/chat/google", TestServer.body("Hello", in: conversation), "conversationId"),
                ("POST", "/api/chat/agents/chat/google", TestServer.body("Hello", files: [file]), "files"),
            ] as [(String, String, [String: Any]?, String?)] {
                let answer =
                    try await body == nil ? server.send(method, path, as: eve) : server.sendJSON(method, path, body ?? [:], as: eve)
                #expect(answer.status == 404 && (try? answer.json()["message"]) is String, "\(method) \(path): \(answer.text)")
                #expect(answer.header("Error-Field") == field, "\(method) \(path)")
            }
            #expect(try await server.conversations(as: eve).isEmpty)

            let deleted = try await server.sendJSON(
                "DELETE", "/api/chat/convos", ["arg": ["conversationId": conversation, "source": "button"]], as: ada)
            #expect(try deleted.chat(ConversationDeleted.self).messages.deletedCount == 4)
            #expect(try await server.conversations(as: ada).map(\.conversationId) == [other.conversation.conversationId])
            #expect(try await server.send("GET", "/api/chat/messages/\(conversation)", as: ada).status == 404)
            #expect(try await server.send("GET", "/api/chat/files/serve\(file.filepath)", as: ada).status == 404)
            #expect(try await server.send("GET", "/api/chat/search?q=attic", as: ada).chat(ChatSearchPage.self).messages.isEmpty)
        }
    }

    @Test("a file that another message holds outlives its first conversation", arguments: StoragePair.allCases)
    func sharedFile(_ pair: StoragePair) async throws {
        try await TestServer.run(pair) { server in
            let ada = try await server.person()
            let file = try await server.uploadChatFile("a.txt", Data("Apples.".utf8), as: ada)
            let first = try await server.say(" ", files: [file], as: ada)
            #expect(first.title == "a.txt")
            let second = try await server.say("Again", files: [file], as: ada)
            for (conversation, status) in [(first.conversation.conversationId, 200), (second.conversation.conversationId, 404)] {
                let answer = try await server.sendJSON("DELETE", "/api/chat/convos", ["arg": ["conversationId": conversation]], as: ada)
                #expect(answer.status == 200)
                #expect(try await server.send("GET", "/api/chat/files/serve\(file.filepath)", as: ada).status == status)
            }
        }
    }

    @Test("the requests of a published client run, and wrong ones are refused with nothing kept", arguments: StoragePair.allCases)
    func requests(_ pair: StoragePair) async throws {
        try await TestServer.run(pair) { server in
            let ada = try await server.person()
            var files: [ChatFileObject] = []
            for number in 0..<10 {
                let text = "Document \(number) is about apples. " + String(repeating: "word\(number) ", count: 3_000)
                files.append(try await server.uploadChatFile("\(number).txt", Data(text.utf8), as: ada))
            }
            // The client repeats the texts of the files, so the body is megabytes long.
            var body = TestServer.body(" ", in: "new")
            var copies: [[String: Any]] = []
            for file in files {
                let text = try #require(file.text)
                #expect(text.count > 15_000 && file.source == "text")
                copies.append(["file_id": file.fileId, "text": text, "embedded": false])
            }
            body["files"] = copies
            body["imageUrls"] = files.map(\.filepath)
            body["ocr"] = files.map { ["file_id": $0.fileId, "text": String(repeating: "copy ", count: 50_000)] }
            let answer = try await server.post(body, as: ada)
            #expect(answer.status == 200, "\(answer.text.prefix(300))")
            #expect(try answer.chat(ChatAnswer.self).requestMessage.files.map(\.fileId) == files.map(\.fileId))
            // A browser sends the session's cookie instead of a bearer token.
            let session = try await server.send("POST", "/auth/session", as: ada)
            let cookie = try #require(session.header("Set-Cookie")?.split(separator: ";").first.map(String.init))
            let again = try await server.send(
                "POST", "/api/chat/agents/chat/google", headers: [("Content-Type", "application/json"), ("Cookie", cookie)],
                body: try JSONSerialization.data(withJSONObject: body))
            #expect(try again.status == 200 && again.chat(ChatAnswer.self) == answer.chat(ChatAnswer.self), "\(again.text.prefix(300))")
            let count = try await server.conversations(as: ada).count

            func with(_ key: String, _ value: Any) -> [String: Any] {
                var body = TestServer.body("a")
                body[key] = value
                return body
            }
            let wrong: [([String: Any], Int)] = [
                (TestServer.body(" "), 400), (TestServer.body(String(repeating: "a", count: 100_001)), 400),
                (TestServer.body("a\u{0}b"), 400), (TestServer.body("a", id: "a b"), 400), (TestServer.body("a", in: "nothing"), 404),
                (with("files", Array(repeating: ["file_id": "x"], count: 21)), 400), (with("files", [["file_id": "x"]]), 404),
                (with("files", [["file_id": 7]]), 400), (with("text", 7), 400),
            ]
            for (body, status) in wrong {
                let refused = try await server.post(body, as: ada)
                #expect(refused.status == status && (try? refused.json()["message"]) is String, "\(refused.status) \(refused.text)")
            }
            let blank = try await server.post(TestServer.body(" \n"), as: ada)
            #expect(try blank.json()["message"] as? String == "text must not be blank without files. Write a text or attach a file.")
            #expect(try await server.send("POST", "/api/chat/agents/chat/google", body: Data("{}".utf8)).status == 401)
            let huge = Data(("{\"text\":\"" + String(repeating: "a", count: 8_400_000) + "\"}").utf8)
            // The server refuses this request before the client has sent all of it. curl reports the response, and this process's client
            // does not.
            let folder = try TemporaryFolder()
            try huge.write(to: URL(filePath: folder.path + "/huge.json"))
            let curl = try ServerProcess.run(
                [
                    "curl", "-sS", "--max-time", "60", "-o", folder.path + "/answer", "-w", "%{http_code}", "-H",
                    "Content-Type: application/json", "-H", "\(ada.bearer.0): \(ada.bearer.1)", "--data-binary",
                    "@\(folder.path)/huge.json",
                    server.url + "/api/chat/agents/chat/google",
                ], binary: "/usr/bin/env")
            #expect(curl.output == "413", "\(curl.errors)")
            #expect(try await server.conversations(as: ada).count == count)
        }
    }

    @Test("any name of a provider that the server does not have is answered by the default one")
    func otherEndpoints() async throws {
        try await TestServer.run(.sqlite) { server in
            let ada = try await server.person()
            for name in ["openAI", "Together AI", "Mañana", String(repeating: "é", count: 64)] {
                let path = try #require(name.addingPercentEncoding(withAllowedCharacters: .alphanumerics))
                let answer = try await server.say("Hello", endpoint: path, as: ada)
                #expect(answer.conversation.endpoint == name && answer.responseMessage.sender == "Keepsake")
            }
            for wrong in ["a%0Ab", "%7F", String(repeating: "a", count: 65)] {
                let answer = try await server.post(TestServer.body("Hello"), endpoint: wrong, as: ada)
                #expect(answer.status == 400 && answer.header("Error-Field") == "endpoint", "\(wrong): \(answer.status)")
            }
        }
    }

    @Test("an id with U+0000 gets 400, whatever the engine", arguments: Engine.allCases)
    func nul(_ engine: Engine) async throws {
        try await TestServer.run(engine) { server in
            let ada = try await server.person()
            let id = ["conversationId": "a\u{0}b"]
            let requests: [(String, String, [String: Any])] = [
                ("POST", "/api/chat/convos/update", ["conversationId": "a\u{0}b", "title": "A title"]),
                ("POST", "/api/chat/agents/chat/abort", id), ("DELETE", "/api/chat/convos", ["arg": id]),
                ("POST", "/api/chat/agents/chat/google", TestServer.body("a", in: "a\u{0}b")),
            ]
            for (method, path, body) in requests {
                let answer = try await server.sendJSON(method, path, body, as: ada)
                #expect(answer.status == 400 && (try? answer.json()["message"]) is String, "\(path): \(answer.status) \(answer.text)")
            }
        }
    }

    @Test("without a messageId, the Idempotency-Key names the message", arguments: Engine.allCases)
    func named(_ engine: Engine) async throws {
        try await TestServer.run(engine) { server in
            let ada = try await server.person()
            func send(_ text: String, _ key: String, id: String? = nil) async throws -> TestServer.Answer {
                var body = TestServer.body(text, id: id)
                if id == nil { body["messageId"] = nil }
                return try await server.sendJSON("POST", "/api/chat/agents/chat/google", body, as: ada, key: key)
            }
            let first = try await send("Hello", "k/1").chat(ChatAnswer.self)
            let again = try await send("Hello", "k/1").chat(ChatAnswer.self)
            #expect(again.responseMessage.messageId == first.responseMessage.messageId)
            let conversation = first.conversation.conversationId
            #expect(try await server.messages(conversation, as: ada).count == 2)
            let other = try await send("Goodbye", "k/1")
            #expect(other.status == 422 && other.header("Error-Field") == "Idempotency-Key", "\(other.text)")
            #expect(try await send("Hello", "k 1").status == 400)
            // The message id of the client takes precedence over the key.
            #expect(try await send("Goodbye", "k/1", id: "m-1").status == 200)
            #expect(try await send("Hello", "k/2").chat(ChatAnswer.self).conversation.conversationId != conversation)
            #expect(try await server.conversations(as: ada).count == 3)
            let arg = ["arg": ["conversationId": conversation]]
            #expect(try await server.sendJSON("DELETE", "/api/chat/convos", arg, as: ada).status == 200)
            let gone = try await send("Hello", "k/1")
            #expect(gone.status == 410 && gone.header("Error-Field") == "Idempotency-Key", "\(gone.text)")
        }
    }

    @Test("a used Idempotency-Key with other files gets 422; a deleted file does not count", arguments: Engine.allCases)
    func namedFiles(_ engine: Engine) async throws {
        try await TestServer.run(engine) { server in
            let ada = try await server.person()
            var files: [ChatFileObject] = []
            for name in ["a.txt", "b.txt", "c.txt"] {
                files.append(try await server.uploadChatFile(name, Data("The boat of \(name) leaks.".utf8), as: ada))
            }
            func send(_ files: [ChatFileObject]) async throws -> TestServer.Answer {
                var body = TestServer.body("Does it leak?", files: files)
                body["messageId"] = nil
                return try await server.sendJSON("POST", "/api/chat/agents/chat/google", body, as: ada, key: "k-1")
            }
            let first = try await send([files[0], files[1]]).chat(ChatAnswer.self)
            for others in [files, [files[0]], [files[1], files[2]], []] {
                let other = try await send(others)
                #expect(other.status == 422 && other.header("Error-Field") == "Idempotency-Key", "\(others.count): \(other.text)")
            }
            #expect(try await server.send("DELETE", "/api/chat/files/\(files[0].fileId)", as: ada).status == 200)
            let again = try await send([files[0], files[1]]).chat(ChatAnswer.self)
            #expect(again.responseMessage.messageId == first.responseMessage.messageId)
            #expect(try await send(files).status == 422)
        }
    }

    @Test("the same messageId is answered once, also when it comes twice at the same moment", arguments: Engine.allCases)
    func repeated(_ engine: Engine) async throws {
        try await TestServer.run(engine) { server in
            let ada = try await server.person()
            let answers = try await withThrowingTaskGroup(of: ChatAnswer.self) { group in
                for _ in 0..<4 { group.addTask { try await server.say("Hello", id: "m-1", as: ada) } }
                return try await group.reduce(into: []) { $0.append($1) }
            }
            #expect(Set(answers.map(\.responseMessage.messageId)).count == 1)
            #expect(Set(answers.map(\.responseMessage.text)).count == 1)
            #expect(try await server.messages(answers[0].conversation.conversationId, as: ada).count == 2)
            // White space around an id does not count.
            let conversation = answers[0].conversation.conversationId
            let spaced = try await server.say("Hello", id: " m-1\n", in: " \(conversation) ", as: ada)
            #expect(spaced.responseMessage.messageId == answers[0].responseMessage.messageId)
            #expect(try await server.say("And?", in: " \(conversation) ", as: ada).conversation.conversationId == conversation)
            let query = "conversationId=%20\(conversation)%0A&before=%20\(spaced.responseMessage.messageId)%0A"
            let first = try await server.send("GET", "/api/chat/messages?\(query)", as: ada).chat([ChatMessage].self)
            #expect(first.map(\.messageId) == ["m-1"])
            // Another account's message with the same id is a different message.
            let eve = try await server.person("eve")
            #expect(try await server.say("Hello", id: "m-1", as: eve).responseMessage.messageId != answers[0].responseMessage.messageId)
        }
    }

    @Test("other devices of the account learn of messages and deletions; a closed account leaves no row", arguments: Engine.allCases)
    func events(_ engine: Engine) async throws {
        try await TestServer.run(engine) { server in
            let ada = try await server.person()
            let answer = try await server.say("Hello", as: ada)
            _ = try await server.sendJSON(
                "DELETE", "/api/chat/convos", ["arg": ["conversationId": answer.conversation.conversationId]], as: ada)
            let page = try await server.send("GET", "/events?since=0&wait=0", as: ada).json()
            let types = (page["items"] as? [[String: Any]] ?? []).compactMap { $0["type"] as? String }.filter { $0.hasPrefix("chat.") }
            #expect(types == ["chat.conversation", "chat.message", "chat.message", "chat.deleted"])
            _ = try await server.say("Another", as: ada)
            #expect(try await server.send("POST", "/auth/delete", as: ada).status == 200)
            try await eventually {
                try await server.backend.database.read { tx in
                    let statements: [SQL] = [
                        "SELECT COUNT(*) AS n FROM chat_conversation", "SELECT COUNT(*) AS n FROM chat_message",
                        "SELECT COUNT(*) AS n FROM chat_piece",
                    ]
                    return try statements.allSatisfy { try tx.row($0)?.get("n", as: Int64.self) == 0 }
                }
            }
        }
    }

    @Test("a conversation that is given the title it has emits no event", arguments: Engine.allCases)
    func sameTitle(_ engine: Engine) async throws {
        try await TestServer.run(engine) { server in
            let ada = try await server.person()
            let id = try await server.say("Hello", as: ada).conversation.conversationId
            func changes() async throws -> Int {
                let page = try await server.send("GET", "/events?since=0&wait=0", as: ada).json()
                return (page["items"] as? [[String: Any]] ?? []).count { $0["type"] as? String == "chat.conversation" }
            }
            #expect(try await changes() == 1, "the conversation began")
            for (title, count) in [("Hello", 1), ("The folder", 2), ("The folder", 2), ("Hello", 3)] {
                let answer = try await server.sendJSON(
                    "POST", "/api/chat/convos/update", ["conversationId": id, "title": title], as: ada)
                #expect(try answer.chat(ChatConversation.self).title == title)
                #expect(try await changes() == count, "\(title)")
            }
        }
    }

    @Test("text counts against the quota, and is given back")
    func quota() async throws {
        try await TestServer.run(.sqlite) { server in
            let ada = try await server.person()
            func used() async throws -> Int64 {
                try await server.backend.database.read { tx in
                    try tx.row("SELECT row_bytes FROM media_usage WHERE account = \(ada.id)")?.get("row_bytes") ?? 0
                }
            }
            let before = try await used()
            let answer = try await server.say(String(repeating: "word ", count: 2_000), as: ada)
            #expect(try await used() - before > 10_000)
            _ = try await server.sendJSON(
                "DELETE", "/api/chat/convos", ["arg": ["conversationId": answer.conversation.conversationId]], as: ada)
            #expect(try await used() == before)
        }
    }
}
