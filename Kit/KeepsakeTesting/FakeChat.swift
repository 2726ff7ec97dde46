import Foundation
import KeepsakeWire

/// A conversation with its messages, oldest first.
struct FakeConversation {
    var conversation: ChatConversation
    var messages: [ChatMessage] = []

    var id: String { conversation.conversationId }
}

struct FakeChatFile {
    var object: ChatFileObject
    var data: Data
}

extension FakeRoutes {
    /// The routes of chats. For a streamed answer, `FakeServer.stream` makes the stream from the whole answer.
    mutating func addChat() {
        serve(ChatEndpoints.send) { input, call, state in try state.answer(input, call) }
        serve(ChatEndpoints.resume) { input, call, state in try state.latestAnswer(input.conversationId, call) }
        // Nothing can be aborted, because each answer is complete when its request returns.
        serve(ChatEndpoints.abort) { input, call, state in
            ChatAborted(aborted: try state.chat(input.conversationId, call.caller).id, count: 0)
        }
        serve(ChatEndpoints.conversations) { input, call, state in
            let all = (state.chats[call.caller] ?? []).map(\.conversation)
                .sorted { ($0.updatedAt, $0.conversationId) > ($1.updatedAt, $1.conversationId) }
            let page = try all.page(after: input.cursor, limit: input.limit ?? 25) { $0.conversationId }
            return ConversationPage(conversations: page.rows, nextCursor: page.next)
        }
        serve(ChatEndpoints.rename) { input, call, state in
            var chat = try state.chat(input.conversationId, call.caller)
            let old = chat.conversation.title
            chat.conversation.title = try FakeText.required(input.title, "title", max: 200)
            state.put(chat, call.caller)
            if chat.conversation.title != old { state.emitChat("chat.conversation", chat.id, to: call) }
            return chat.conversation
        }
        serve(ChatEndpoints.delete) { input, call, state in
            let chat = try state.chat(input.arg.conversationId, call.caller)
            state.chats[call.caller]?.removeAll { $0.id == chat.id }
            state.deletedMessages[call.caller, default: []].formUnion(chat.messages.filter(\.isCreatedByUser).map(\.messageId))
            let held = Set((state.chats[call.caller] ?? []).flatMap(\.messages).flatMap(\.files).map(\.fileId))
            let orphans = Set(chat.messages.flatMap(\.files).map(\.fileId)).subtracting(held)
            for id in orphans { state.deleteChatFile(id, call.caller) }
            state.emitChat("chat.deleted", chat.id, to: call)
            return ConversationDeleted(messages: chat.messages.count)
        }
        serve(file: ChatEndpoints.export) { input, call, state in
            let chat = try state.chat(input.id, call.caller)
            let sections = chat.messages.map {
                "\n## \($0.sender), \(WireDate.format($0.createdAt, .wholeSeconds))\n\n\($0.text)\n"
                    + $0.files.map { "\n- Attached: \($0.filename)\n" }.joined()
            }
            return (Data("# \(chat.conversation.title)\n\(sections.joined())".utf8), "text/markdown; charset=utf-8")
        }
        serve(ChatEndpoints.messages) { input, call, state in try state.messages(input, call.caller) }
        serve(ChatEndpoints.messagesByPath) { input, call, state in try state.messages(input, call.caller) }
        serve(ChatEndpoints.search) { input, call, state in
            let words = FakeWords(input.q)
            guard !words.isEmpty else { throw FakeProblem.invalid("q must contain a word.", "q") }
            let page = try state.messages(with: words, call.caller).page(after: input.cursor, limit: input.limit ?? 25) { $0.messageId }
            return ChatSearchPage(messages: page.rows, nextCursor: page.next)
        }
        // The fake server sends no data to other services.
        serve(ChatEndpoints.usage) { _, _, _ in ChatUsage(usage: []) }
        serve(ChatEndpoints.models) { _, _, _ in
            ChatModels(models: [.init(endpoint: "local", model: "local", provider: "local", isLocal: true)])
        }
        addChatFiles()
    }

    private mutating func addChatFiles() {
        serve(ChatFileEndpoints.upload) { _, call, state in
            guard let file = call.form.files.first(where: { $0.name == "file" }) else {
                throw FakeProblem.invalid("Send the file as file.", "file")
            }
            let type = FakeFileType.of(file.data) ?? (String(data: file.data, encoding: .utf8) == nil ? nil : "text/plain")
            guard let type, !file.data.isEmpty else { throw FakeProblem(422, "This type of file is not accepted.") }
            let isImage = type.hasPrefix("image/")
            let (id, text) = (state.create(), isImage ? nil : String(decoding: file.data, as: UTF8.self))
            let object = ChatFileObject(
                success: true, fileId: id, objectId: String(id.filter { $0 != "-" }.suffix(24)), filename: file.fileName,
                filepath: "/\(isImage ? "images" : "uploads")/\(call.caller)/\(id)", type: type, size: file.data.count,
                width: call.form["width"].flatMap { Int($0) }, height: call.form["height"].flatMap { Int($0) },
                source: isImage ? "local" : "text", text: text)
            state.chatFiles[call.caller, default: []].append(FakeChatFile(object: object, data: file.data))
            return object
        }
        for endpoint in [ChatFileEndpoints.serveImage, ChatFileEndpoints.serveUpload] {
            serve(file: endpoint) { input, call, state in
                let file = try state.chatFile(input.name, call.caller)
                return (file.data, file.object.type)
            }
        }
        serve(ChatFileEndpoints.delete) { input, call, state in
            let id = try state.chatFile(input.fileId, call.caller).object.fileId
            state.deleteChatFile(id, call.caller)
            return SuccessResponse()
        }
    }
}

extension FakeState {
    private static let noParent = "00000000-0000-0000-0000-000000000000"

    func chat(_ id: String, _ owner: String) throws -> FakeConversation {
        guard let chat = chats[owner]?.first(where: { $0.id == id }) else { throw FakeProblem.notFound("The conversation") }
        return chat
    }

    mutating func put(_ chat: FakeConversation, _ owner: String) {
        if let index = chats[owner]?.firstIndex(where: { $0.id == chat.id }) {
            chats[owner]?[index] = chat
        } else {
            chats[owner, default: []].append(chat)
        }
    }

    func chatFile(_ id: String, _ owner: String) throws -> FakeChatFile {
        guard let file = chatFiles[owner]?.first(where: { $0.object.fileId == id }) else { throw FakeProblem.notFound("The file") }
        return file
    }

    mutating func deleteChatFile(_ id: String, _ owner: String) {
        chatFiles[owner]?.removeAll { $0.object.fileId == id }
        for index in chats[owner]?.indices ?? 0..<0 {
            for message in chats[owner]?[index].messages.indices ?? 0..<0 {
                chats[owner]?[index].messages[message].files.removeAll { $0.fileId == id }
            }
        }
        forget(id)
    }

    mutating func emitChat(_ type: String, _ conversation: String, message: String? = nil, to call: FakeCall) {
        var data = ["conversationId": JSONValue.string(conversation)]
        if let message { data["messageId"] = .string(message) }
        emit(type, .object(data), to: call.caller, call.now)
    }

    /// The latest messages of a conversation, oldest first.
    func messages(_ input: ListChatMessagesInput, _ owner: String) throws -> [ChatMessage] {
        let limit = input.limit ?? 500
        guard 1...500 ~= limit else { throw FakeProblem.invalid("limit must be 1 to 500.", "limit") }
        let all = try chat(input.conversationId, owner).messages
        return Array(all.prefix { $0.messageId != input.before }.suffix(limit))
    }

    /// Messages that contain the words or have a file that contains them, the latest first.
    func messages(with words: FakeWords, _ owner: String) -> [ChatMessage] {
        var found: [ChatMessage] = []
        for chat in chats[owner] ?? [] {
            for var message in chat.messages {
                let files = message.files.compactMap { try? chatFile($0.fileId, owner) }
                guard words.match([message.text]) || files.contains(where: { words.match([$0.object.filename, $0.object.text ?? ""]) })
                else { continue }
                message.conversationTitle = chat.conversation.title
                found.append(message)
            }
        }
        return found.sorted { ($0.createdAt, $0.messageId) > ($1.createdAt, $1.messageId) }
    }

    /// The latest answer of a conversation, if it is at most five minutes old.
    func latestAnswer(_ id: String, _ call: FakeCall) throws -> ChatAnswer {
        let chat = try chat(id, call.caller)
        guard call.now.timeIntervalSince(chat.conversation.updatedAt) <= 300, let answer = chat.messages.last,
            let question = chat.messages.dropLast().last
        else { throw FakeProblem(404, "No answer is being written in this conversation.") }
        return ChatAnswer(requestMessage: question, responseMessage: answer, conversation: chat.conversation)
    }

    mutating func answer(_ input: SendChatMessageInput, _ call: FakeCall) throws -> ChatAnswer {
        // If the message was sent before, the response is the answer that it already has.
        for chat in chats[call.caller] ?? [] {
            guard let id = input.messageId, let index = chat.messages.firstIndex(where: { $0.messageId == id && $0.isCreatedByUser })
            else { continue }
            return ChatAnswer(
                requestMessage: chat.messages[index], responseMessage: chat.messages[index + 1], conversation: chat.conversation)
        }
        if let id = input.messageId, deletedMessages[call.caller]?.contains(id) == true {
            throw FakeProblem(
                410, "The message with this messageId has been deleted. Use a new messageId for each message.", field: "messageId")
        }
        let files = try (input.files ?? []).map { try chatFile($0.fileId, call.caller).object }.map { file in
            var file = file
            (file.success, file.text) = (nil, nil)
            return file
        }
        guard !files.isEmpty || input.text.contains(where: { !$0.isWhitespace }) else {
            throw FakeProblem.invalid("text must not be blank without files. Write a text or attach a file.", "text")
        }
        var chat: FakeConversation
        if let id = input.conversationId, id != "new" {
            chat = try self.chat(id, call.caller)
        } else {
            let words = input.text.split(whereSeparator: \.isWhitespace).joined(separator: " ")
            let title = words.isEmpty ? files.first?.filename ?? "" : String(words.prefix(60))
            chat = FakeConversation(
                conversation: ChatConversation(
                    conversationId: newID(), title: title, createdAt: call.now, updatedAt: call.now, endpoint: input.endpoint))
            emitChat("chat.conversation", chat.id, to: call)
        }
        let question = ChatMessage(
            messageId: input.messageId ?? newID(), conversationId: chat.id,
            parentMessageId: chat.messages.last?.messageId ?? Self.noParent, text: input.text, sender: "User", isCreatedByUser: true,
            createdAt: call.now, updatedAt: call.now, error: false, unfinished: false, endpoint: input.endpoint, model: nil, files: files)
        let answer = ChatMessage(
            messageId: newID(), conversationId: chat.id, parentMessageId: question.messageId, text: chatAnswer, sender: "Keepsake",
            isCreatedByUser: false, createdAt: call.now, updatedAt: call.now, error: false, unfinished: false, endpoint: input.endpoint,
            model: "local", files: [])
        chat.messages += [question, answer]
        chat.conversation.updatedAt = call.now
        put(chat, call.caller)
        for message in [question, answer] { emitChat("chat.message", chat.id, message: message.messageId, to: call) }
        return ChatAnswer(requestMessage: question, responseMessage: answer, conversation: chat.conversation)
    }
}
