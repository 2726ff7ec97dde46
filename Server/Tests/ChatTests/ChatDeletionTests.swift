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

@Suite("Deletion of chats, in steps of at most 2 MB of counted bytes", .blocksThreads)
struct ChatDeletionTests {
    private static let conversation = "c"

    /// Inserts messages `m0`, `m1`, … of one conversation, each with its counted size from `rowBytes`.
    private static func insert(
        _ rowBytes: [Int64], state: StoredMessage.State = .done, endedAt: Timestamp? = nil, of owner: String, _ tx: WriteTransaction
    ) throws {
        let now = Timestamp(seconds: 1_795_348_800)
        try tx.send(
            """
            INSERT INTO chat_conversation (owner, id, title, is_renamed, endpoint, last_position, created_at, updated_at, row_bytes)
            VALUES (\(owner), \(conversation), 't', 0, 'google', \(rowBytes.count), \(now), \(now), 0)
            """)
        for (number, count) in rowBytes.enumerated() {
            try tx.send(
                """
                INSERT INTO chat_message (owner, id, conversation, position, text, endpoint, state, is_unfinished, attempt, stopping,
                    frame_count, ended_at, created_at, updated_at, row_bytes)
                VALUES (\(owner), \("m\(number)"), \(conversation), \(number + 1), 'words', 'google', \(state.rawValue), 0, 0, 0,
                    0, \(endedAt), \(now), \(now), \(count))
                """)
        }
    }

    @Test("an account's messages and conversations are erased; answers that are being written count as long", arguments: Engine.allCases)
    func account(_ engine: Engine) async throws {
        try await TestServer.run(engine) { server in
            let (ada, eve) = (try await server.person(), try await server.person("eve"))
            try await server.backend.database.write { tx in
                try Self.insert([900_000, 900_000, 900_000, 3_000_000, 10], of: ada.id, tx)
                try Self.insert([10, 10], state: .writing, of: eve.id, tx)
            }
            let store = server.backend.features[ChatFeature.self].store
            for (person, expected) in [(ada, [2, 1, 1, 1, 1, 0]), (eve, [1, 1, 1, 0])] {
                var steps: [Int] = []
                repeat {
                    steps.append(try await store.database.write { tx in try store.eraseSome(of: person.id, limit: 100, tx) })
                } while steps.last != 0
                #expect(steps == expected)
            }
            for table: SQL in ["chat_message", "chat_conversation"] {
                #expect(try await store.database.read { tx in try tx.rows("SELECT id FROM \(sql: table)").isEmpty })
            }
        }
    }

    @Test("a message that comes again after its conversation was deleted is 410 and brings nothing back", arguments: Engine.allCases)
    func repeated(_ engine: Engine) async throws {
        try await TestServer.run(engine) { server in
            let (ada, eve) = (try await server.person(), try await server.person("eve"))
            let store = server.backend.features[ChatFeature.self].store
            func delete(_ conversation: String, as person: TestServer.Person) async throws {
                let body = ["arg": ["conversationId": conversation]]
                #expect(try await server.sendJSON("DELETE", "/api/chat/convos", body, as: person).status == 200)
            }
            func tombstones() async throws -> Int {
                try await store.database.read { tx in try tx.rows("SELECT message FROM chat_tombstone").count }
            }
            let conversation = try await server.say("Hello", id: "m-1", as: ada).conversation.conversationId
            _ = try await server.say("And more", id: "m-2", in: conversation, as: ada)
            try await delete(conversation, as: ada)
            // A repeated message is refused, also if it names the conversation that was deleted.
            for (id, place) in [("m-1", nil), ("m-2", conversation), ("m-2", nil)] as [(String, String?)] {
                let again = try await server.post(TestServer.body("Hello", id: id, in: place), as: ada)
                #expect(again.status == 410 && again.header("Error-Field") == "messageId", "\(id): \(again.status) \(again.text)")
            }
            #expect(try await server.conversations(as: ada).isEmpty)
            // Another account's message with the same id is a different message.
            let other = try await server.say("Hello", id: "m-1", as: eve).conversation.conversationId
            try await delete(other, as: eve)
            #expect(try await tombstones() == 3)
            // The server deletes tombstones when it deletes their account, or after 90 days.
            for count in [1, 1, 0] {
                let erased = try await store.database.write { tx in try store.eraseSome(of: ada.id, limit: 1, tx) }
                #expect(erased == count)
            }
            server.clock.advance(by: ChatRules.tombstoneLifetime - .seconds(1))
            try await store.sweepTombstones()
            #expect(try await tombstones() == 1)
            server.clock.advance(by: .seconds(2))
            try await store.sweepTombstones()
            #expect(try await tombstones() == 0)
        }
    }

    @Test("once the ids of many deleted messages are remembered, further ones are remembered for a day", arguments: Engine.allCases)
    func manyTombstones(_ engine: Engine) async throws {
        try await TestServer.run(engine) { server in
            let ada = try await server.person()
            var limited = server.backend.features[ChatFeature.self].store
            limited.maxTombstones = 2
            let store = limited
            let now = server.clock.now
            for id in ["m-1", "m-2", "m-3"] {
                let conversation = try await server.say("Hello", id: id, as: ada).conversation.conversationId
                #expect(try await store.delete(conversation, owner: ada.id) == 2)
            }
            let ends: [Timestamp] = try await server.backend.database.read { tx in
                try tx.rows("SELECT expires_at FROM chat_tombstone ORDER BY message").map { try $0.get("expires_at") }
            }
            #expect(ends == [now + .days(90), now + .days(90), now + .days(1)])
        }
    }

    @Test("a search whose messages are deleted before they are read finds nothing, and never ends the server", arguments: Engine.allCases)
    func deletedWhileSearching(_ engine: Engine) async throws {
        try await TestServer.run(engine) { server in
            let ada = try await server.person()
            _ = try await server.say("Hello harbour", as: ada)
            func found() async throws -> Int {
                let page = try await server.send("GET", "/api/chat/search?q=harbour", as: ada)
                try #require(page.status == 200, "\(page.text)")
                return try page.chat(ChatSearchPage.self).messages.count
            }
            #expect(try await found() > 0)
            // Deletes the messages, as a deletion between the two reads of a search would.
            _ = try await server.backend.database.write { tx in try tx.run("DELETE FROM chat_message WHERE owner = \(ada.id)") }
            #expect(try await found() == 0)
        }
    }

    @Test("a conversation's files count with its messages, and those of one message take several writes", arguments: Engine.allCases)
    func files(_ engine: Engine) async throws {
        let record = StatementRecord()
        let files: [String] = try await TestServer.run(StoragePair(engine), record: record) { server in
            let ada = try await server.person()
            var uploaded: [String] = []
            for number in 0..<8 { uploaded.append(try await server.uploadChatFile("\(number).txt", Data("words".utf8), as: ada).fileId) }
            let files = uploaded.sorted()
            // m4 shares a file with m0.
            let held: [[String]] = [[files[0], files[1]], [files[2]], [], [files[3]], [files[0]] + Array(files[4...])]
            try await server.backend.database.write { tx in
                try Self.insert([0, 0, 0, 0, 0], of: ada.id, tx)
                for (number, some) in held.enumerated() {
                    for (place, file) in some.enumerated() {
                        try tx.send(
                            """
                            INSERT INTO chat_message_file (owner, message, file, position)
                            VALUES (\(ada.id), \("m\(number)"), \(file), \(place))
                            """)
                    }
                }
                // Two files of this size fit in a step.
                try tx.run("UPDATE chat_file SET row_bytes = 900000 WHERE owner = \(ada.id)")
            }
            let answer = try await server.sendJSON("DELETE", "/api/chat/convos", ["arg": ["conversationId": Self.conversation]], as: ada)
            #expect(try answer.chat(ConversationDeleted.self).messages.deletedCount == 5)
            for table: SQL in ["chat_message", "chat_conversation", "chat_file", "media"] {
                #expect(try await server.backend.database.read { tx in try tx.rows("SELECT id FROM \(sql: table)").isEmpty })
            }
            return files
        }
        // Each write begins with the SELECT that chooses its messages. The read before each write begins with the same SELECT.
        var (messages, erased): ([[String]], [[String]]) = ([], [])
        for statement in record.all {
            if statement.text.hasPrefix("SELECT id, row_bytes AS own_bytes") {
                messages.append([])
                erased.append([])
            }
            guard let last = messages.indices.last else { continue }
            if statement.text.hasPrefix("DELETE FROM chat_message WHERE"), case .text(let id)? = statement.sql.values.last {
                messages[last].append(id)
            }
            if statement.text.hasPrefix("DELETE FROM media WHERE"), case .text(let id)? = statement.sql.values.first {
                erased[last].append(id)
            }
        }
        #expect(messages == [["m0"], ["m1", "m2", "m3"], [], [], ["m4"], []].flatMap { [[], $0] })
        #expect(
            erased
                == [[files[1]], [files[2], files[3]], [files[0], files[4]], [files[5], files[6]], [files[7]], []].flatMap { [[], $0] })
    }

    @Test(
        "before a conversation's files are deleted, captures that name them lose them in writes of their own", arguments: Engine.allCases)
    func named(_ engine: Engine) async throws {
        let record = StatementRecord()
        try await TestServer.run(StoragePair(engine), record: record) { server in
            let (ada, now) = (try await server.person(), Timestamp(seconds: 1_795_348_800))
            var uploaded: [String] = []
            for number in 0..<3 { uploaded.append(try await server.uploadChatFile("\(number).txt", Data("words".utf8), as: ada).fileId) }
            let files = uploaded
            try await server.backend.database.write { tx in
                try Self.insert([0, 0], of: ada.id, tx)
                // A message of another conversation holds the last file, too.
                try tx.send(
                    """
                    INSERT INTO chat_conversation (owner, id, title, is_renamed, endpoint, last_position, created_at, updated_at, row_bytes)
                    VALUES (\(ada.id), 'd', 't', 0, 'google', 2, \(now), \(now), 0)
                    """)
                try tx.send("UPDATE chat_message SET conversation = 'd' WHERE owner = \(ada.id) AND id = 'm1'")
                for (place, message) in ["m0", "m0", "m0", "m1"].enumerated() {
                    try tx.send(
                        """
                        INSERT INTO chat_message_file (owner, message, file, position)
                        VALUES (\(ada.id), \(message), \(files[min(place, 2)]), \(place))
                        """)
                }
                for (place, file) in files.enumerated() {
                    for number in 0..<30 {
                        try tx.send(
                            """
                            INSERT INTO capture (owner, id, at, zone, day, hour, hour_start, status, photo_media, version, created_at,
                                row_bytes)
                            VALUES (\(ada.id), \("c\(place)-\(number)"), \(now), 'UTC', '2026-06-01', 12, \(now), 'processed', \(file), 1,
                                \(now), 1)
                            """)
                    }
                }
            }
            let answer = try await server.sendJSON("DELETE", "/api/chat/convos", ["arg": ["conversationId": Self.conversation]], as: ada)
            #expect(try answer.chat(ConversationDeleted.self).messages.deletedCount == 1)
            let naming: [String] = try await server.backend.database.read { tx in
                try tx.rows("SELECT photo_media FROM capture WHERE photo_media IS NOT NULL").map { try $0.get("photo_media") }
            }
            #expect(naming == [String](repeating: files[2], count: 30))
        }
        // The statement runs in one write for each of the two files. The write that deletes both files then runs it again for each file.
        // PostgreSQL may run a write again, which adds statements.
        #expect(record.all.count { $0.text.hasPrefix("UPDATE capture SET photo_media = NULL") } >= 4)
    }

    @Test("a file is in at most 1,000 messages, so the write that deletes it drops no more than that", arguments: Engine.allCases)
    func holders(_ engine: Engine) async throws {
        try await TestServer.run(engine) { server in
            let ada = try await server.person()
            let file = try await server.uploadChatFile("a.txt", Data("words".utf8), as: ada)
            let other = try await server.uploadChatFile("b.txt", Data("other words".utf8), as: ada)
            try await server.backend.database.write { tx in
                try Self.insert(Array(repeating: 0, count: ChatRules.holderCount - 1), of: ada.id, tx)
                try tx.send(
                    """
                    INSERT INTO chat_message_file (owner, message, file, position)
                    SELECT owner, id, \(file.fileId), 0 FROM chat_message WHERE owner = \(ada.id)
                    """)
            }
            _ = try await server.say("The last one", id: "last", files: [file, other], as: ada)
            let refused = try await server.post(TestServer.body("One more", files: [other, file]), as: ada)
            #expect(refused.status == 400 && refused.text.contains("at most \(ChatRules.holderCount) messages"), "\(refused.text)")
            // A repeated message does not count again, and other files are not affected.
            _ = try await server.say("The last one", id: "last", files: [file, other], as: ada)
            _ = try await server.say("Another one", files: [other], as: ada)
            #expect(try await server.send("DELETE", "/api/chat/files/\(file.fileId)", as: ada).status == 200)
            let left = try await server.backend.database.read { tx in
                try tx.rows("SELECT file FROM chat_message_file").map { try $0.get("file", as: String.self) }
            }
            #expect(left == [other.fileId, other.fileId])
        }
    }

    @Test("pieces of answers are deleted in steps of at most 2 MB of texts", arguments: Engine.allCases)
    func pieces(_ engine: Engine) async throws {
        try await TestServer.run(engine) { server in
            let ada = try await server.person()
            let (record, real) = (StatementRecord(), server.backend.features[ChatFeature.self].store)
            let store = ChatStore(
                database: ObservedDatabase(base: server.backend.database, observe: record.add), library: real.library, files: real.files,
                events: real.events, identifiers: real.identifiers)
            let ended = server.clock.now - .minutes(10)
            // Each row counts as many bytes as a text of 1 MB.
            try await server.backend.database.write { tx in
                try Self.insert(Array(repeating: 8_000_000, count: 5), endedAt: ended, of: ada.id, tx)
                for number in 0..<5 {
                    try tx.send(
                        "INSERT INTO chat_piece (owner, message, first, last, texts) VALUES (\(ada.id), \("m\(number)"), 1, 1, '[]')")
                }
            }
            try await store.sweepPieces()
            #expect(try await server.backend.database.read { tx in try tx.rows("SELECT message FROM chat_piece").isEmpty })
            // The steps find two, two, one and no messages.
            #expect(record.all.count { $0.text.hasPrefix("SELECT owner, id, row_bytes FROM chat_message") } == 4)
        }
    }
}
