import Foundation
import KeepsakeKit
import KeepsakeWire
import TestThreads
import Testing

/// Conversations, and the files of chats. No model is configured, so the server answers with quotes.
@Suite("KeepsakeKit on each transport and on the fake: chat", .blocksThreads)
struct ChatConformance {
    @Test("conversations: asked, repeated, listed, renamed, searched, exported and deleted", arguments: KitSetup.allCases)
    func conversations(_ setup: KitSetup) async throws {
        try await setup.run { world in
            let files = try KitFiles()
            let (ada, eve) = (try await world.person().client, try await world.person("eve").client)
            let text = try files.text("The blue folder is in the attic.")
            let plan = try await ada.chat.upload(text, type: "text/plain", key: "plan")
            #expect(plan.type == "text/plain" && plan.size == 32 && plan.filename == text.lastPathComponent)
            #expect(try await ada.chat.upload(text, type: "text/plain", key: "plan").fileId == plan.fileId)

            let first = try await ada.chat.send("Where is the blue folder?", files: [plan.fileId], messageID: "m-1")
            let id = first.conversation.conversationId
            #expect(first.title == "Where is the blue folder?" && first.requestMessage.messageId == "m-1")
            #expect(first.requestMessage.isCreatedByUser && first.requestMessage.files.map(\.fileId) == [plan.fileId])
            #expect(!first.responseMessage.isCreatedByUser && !first.responseMessage.unfinished && !first.responseMessage.error)
            // The request names no provider, so the server's default provider answers, which is the local engine here.
            #expect(first.conversation.endpoint == "default" && first.responseMessage.model == "local")
            #expect(first.responseMessage.parentMessageId == "m-1" && !first.responseMessage.text.isEmpty)
            // Sending the message again gets the same answer.
            let again = try await ada.chat.send("Where is the blue folder?", files: [plan.fileId], messageID: "m-1")
            #expect(again.responseMessage.messageId == first.responseMessage.messageId && again.conversation.conversationId == id)
            world.tick()
            let second = try await ada.chat.send("And the red one?", in: id)
            #expect(second.requestMessage.parentMessageId == first.responseMessage.messageId)
            world.tick()
            let other = try await ada.chat.send("Something else")
            for blank in ["", " \n"] {
                let refused = await #expect(throws: KeepsakeError.self) { try await ada.chat.send(blank) }
                #expect(refused?.status == 400 && refused?.field == "text", "\(String(describing: refused))")
                #expect(refused?.message == "text must not be blank without files. Write a text or attach a file.")
            }
            await expectRefusal(404) { try await eve.chat.send("Hello", in: id) }
            await expectRefusal(404) { try await eve.chat.send("Hello", files: [plan.fileId]) }

            let messages = try await ada.chat.messages(of: id)
            #expect(
                messages.map(\.messageId) == [
                    "m-1", first.responseMessage.messageId, second.requestMessage.messageId, second.responseMessage.messageId,
                ])
            let older = try await ada.chat.messages(of: id, before: second.requestMessage.messageId, limit: 1)
            #expect(older.map(\.messageId) == [first.responseMessage.messageId])
            let listed = try await ada.chat.conversations(limit: 1).all()
            #expect(listed.map(\.conversationId) == [other.conversation.conversationId, id])
            #expect(try await ada.chat.stop(id) == 0)
            #expect(try await ada.chat.rename(id, to: "The folder").title == "The folder")

            let found = try await ada.chat.search("attic").all()
            #expect(found.first { $0.messageId == "m-1" }?.conversationTitle == "The folder")
            #expect(try await ada.chat.search("something").all().map(\.messageId) == [other.requestMessage.messageId])
            let markdown = files.url("chat.md")
            try await ada.chat.export(id, to: markdown)
            let exported = try String(contentsOf: markdown, encoding: .utf8)
            #expect(exported.hasPrefix("# The folder\n") && exported.contains("And the red one?"))

            await expectRefusal(404) { try await eve.chat.messages(of: id) }
            await expectRefusal(404) { try await eve.chat.rename(id, to: "Mine") }
            await expectRefusal(404) { try await eve.chat.delete(id) }
            try await ada.chat.delete(id)
            #expect(try await ada.chat.conversations().all().map(\.conversationId) == [other.conversation.conversationId])
            await expectRefusal(404) { try await ada.chat.messages(of: id) }
            await expectRefusal(410) { try await ada.chat.send("Where is the blue folder?", messageID: "m-1") }
            #expect(try await ada.chat.search("attic").all().isEmpty)
            #expect(try await ada.chat.models().contains { $0.isLocal })
            #expect(try await ada.chat.usage().isEmpty)
        }
    }

    @Test("streams of answers: the message, its words and the whole answer; a repeat gets the same", arguments: KitSetup.allCases)
    func streams(_ setup: KitSetup) async throws {
        try await setup.run { world in
            let (ada, eve) = (try await world.person().client, try await world.person("eve").client)
            let first = try await Followed(ada.chat.stream("Where is the blue folder?", messageID: "m-1"))
            let answer = try #require(first.answer)
            #expect(answer.requestMessage.messageId == "m-1" && answer.requestMessage.text == "Where is the blue folder?")
            #expect(!first.text.isEmpty && first.text == answer.responseMessage.text && !answer.responseMessage.unfinished)
            // Send the same message again, once for the whole answer and once for a stream.
            #expect(try await ada.chat.send("Where is the blue folder?", messageID: "m-1") == answer)
            let again = try await Followed(ada.chat.stream("Where is the blue folder?", messageID: "m-1"))
            #expect(again.answer == answer && again.text == first.text)
            world.tick()
            let id = answer.conversation.conversationId
            let second = try await Followed(ada.chat.stream("And the red one?", in: id))
            #expect(second.answer?.requestMessage.parentMessageId == answer.responseMessage.messageId)
            #expect(try await ada.chat.messages(of: id).count == 4)
            await expectRefusal(400) { try await Followed(ada.chat.stream("")) }
            await expectRefusal(404) { try await Followed(eve.chat.stream("Hello", in: id)) }
        }
    }

    @Test("files of chats: uploaded, downloaded, refused and deleted", arguments: KitSetup.allCases)
    func files(_ setup: KitSetup) async throws {
        try await setup.run { world in
            let files = try KitFiles()
            let (ada, id) = try await world.person()
            let photo = try files.fixture("photo.jpg")
            let uploaded = try await ada.chat.upload(photo, type: "image/jpeg", width: 320, height: 240)
            #expect(uploaded.type == "image/jpeg" && uploaded.size > 0 && uploaded.filepath.hasPrefix("/images/\(id)/"))
            let name = try #require(uploaded.filepath.split(separator: "/").last?.removingPercentEncoding)
            let copy = files.url("copy.jpg")
            try await ada.download(ChatFileEndpoints.serveImage, ChatFilePath(userId: id, name: name), to: copy)
            #expect(try !Data(contentsOf: copy).isEmpty)
            try await ada.chat.deleteFile(uploaded.fileId)
            await expectRefusal(404) { try await ada.chat.send("What is this?", files: [uploaded.fileId]) }
            await expectRefusal(404) { try await ada.chat.deleteFile(uploaded.fileId) }
            let program = files.url("program.exe")
            try Data([0x4D, 0x5A, 0x90, 0x00, 0xFF, 0xFE]).write(to: program)
            await #expect { try await ada.chat.upload(program) } throws: { ($0 as? KeepsakeError)?.status.map { 400..<500 ~= $0 } == true }
        }
    }
}
