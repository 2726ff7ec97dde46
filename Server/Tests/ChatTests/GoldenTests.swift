import Core
import Foundation
import KeepsakeWire
import TestKit
import TestThreads
import Testing

@testable import Chat
@testable import FeatureTestKit
@testable import keepsake

/// One example of each response, in `Golden/chat.json`. There, `<uuid>` stands for ids that the server made and for the account's id.
@Suite("Golden: the JSON of chats", .blocksThreads)
struct GoldenTests {
    private static func golden() throws -> [String: JSONValue] {
        let path = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "Golden/chat.json")
        return try JSONDecoder().decode([String: JSONValue].self, from: Data(contentsOf: path))
    }

    /// A response with ids replaced as in the golden file. The id of all zeros, which stands for no parent, stays.
    private static func plain(_ text: String) throws -> JSONValue {
        let text = text.replacing(/"_id":"[0-9a-f]{24}"/, with: #""_id":"<object id>""#)
            .replacing(/[0-9a-fA-F]{8}(?:-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}/) { match in
                match.output.allSatisfy { $0 == "0" || $0 == "-" } ? String(match.output) : "<uuid>"
            }
        return try JSONDecoder().decode(JSONValue.self, from: Data(text.utf8))
    }

    /// A message as the existing chat app reads it. The app requires the first four properties, and dates without fractions of a second.
    private struct DocumentedMessage: Decodable {
        let messageId: String
        let text: String
        let sender: String
        let isCreatedByUser: Bool
        let createdAt: Date?
        let updatedAt: Date?
        let files: [DocumentedUploadedFile]?
        let attachments: [String]?
    }

    private struct DocumentedAnswer: Decodable {
        struct Conversation: Decodable {
            let conversationId: String
            let title: String
        }
        let requestMessage: DocumentedMessage
        let responseMessage: DocumentedMessage
        let conversation: Conversation
    }

    @Test("each response is as in the golden file, and the documented client decodes it")
    func responses() async throws {
        let golden = try Self.golden()
        try await TestServer.run(.sqlite) { server in
            let ada = try await server.person()
            var found: [String: JSONValue] = [:]

            let document = try await server.chatUpload("plan.txt", Data("The blue folder is in the attic.".utf8), as: ada)
            found["document"] = try Self.plain(document.text)
            let file = try document.chat(ChatFileObject.self)
            #expect(try document.chat(DocumentedUploadedFile.self).filename == "plan.txt")
            let picture = try await server.chatUpload("lighthouse.jpg", try Fixture.data("photo.jpg"), as: ada)
            found["picture"] = try Self.plain(picture.text)
            #expect(try picture.chat(DocumentedUploadedFile.self).width == 480)

            let body = TestServer.body("Where is the blue folder?", id: "m-1", files: [file])
            let stream = try await server.stream("POST", "/api/chat/agents/chat/google", body, as: ada)
            found["frames"] = .array(try stream.frames.map { try Self.plain($0.data) })
            #expect(stream.frames.map(\.name) == Array(repeating: "message", count: 4) && stream.numbers == [1, 2, 3, 4])
            let answer = try await server.post(body, as: ada)
            found["answer"] = try Self.plain(answer.text)
            let read = try answer.chat(DocumentedAnswer.self)
            #expect(read.requestMessage.files?.first?.fileID == file.fileId && read.requestMessage.createdAt == server.clock.now.date)
            #expect(read.responseMessage.attachments == nil && !read.responseMessage.isCreatedByUser)

            let id = read.conversation.conversationId
            let messages = try await server.send("GET", "/api/chat/messages?conversationId=\(id)", as: ada)
            found["messages"] = try Self.plain(messages.text)
            #expect(try messages.chat([DocumentedMessage].self).map(\.sender) == ["User", "Keepsake"])
            found["conversations"] = try await Self.plain(server.send("GET", "/api/chat/convos", as: ada).text)
            let stop = try await server.sendJSON("POST", "/api/chat/agents/chat/abort", ["conversationId": id], as: ada)
            found["aborted"] = try Self.plain(stop.text)
            let renamed = try await server.sendJSON(
                "POST", "/api/chat/convos/update", ["conversationId": id, "title": "The folder"], as: ada)
            found["conversation"] = try Self.plain(renamed.text)
            // Only the question names the file.
            found["search"] = try await Self.plain(server.send("GET", "/api/chat/search?q=where", as: ada).text)
            let deleted = try await server.sendJSON("DELETE", "/api/chat/convos", ["arg": ["conversationId": id]], as: ada)
            found["deleted"] = try Self.plain(deleted.text)
            found["refusal"] = try await Self.plain(server.send("GET", "/api/chat/messages/\(id)", as: ada).text)

            #expect(Set(found.keys) == Set(golden.keys))
            for (name, value) in golden { #expect(found[name] == value, "\(name)") }
        }
    }

    @Test("nothing in the golden file is null but the cursor after the last page, and no date has a fraction")
    func nulls() throws {
        func check(_ value: JSONValue, _ path: String) {
            switch value {
            case .null: #expect(path.hasSuffix(".nextCursor"), "\(path)")
            case .array(let members): for member in members { check(member, path) }
            case .object(let members):
                #expect(members["attachments"] == nil, "\(path)")
                for (name, member) in members { check(member, "\(path).\(name)") }
            case .string(let text) where path.hasSuffix("At"):
                #expect(text.wholeMatch(of: /\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ/) != nil, "\(path): \(text)")
            default: break
            }
        }
        for (name, value) in try Self.golden() { check(value, name) }
    }
}
