import Foundation
public import KeepsakeWire

/// A message, and its answer while it is written. See `Chat.stream`.
public struct ChatStream: AsyncSequence, Sendable {
    public enum Element: Sendable, Equatable {
        /// Comes first: the server has stored the message. `conversationId` names the conversation.
        case sent(ChatMessage)
        /// The next words of the answer.
        case words(String)
        /// Comes last: the whole answer. Use its text, because after a failure of the server it may lack the last `words` that came before.
        case answer(ChatAnswer)
    }

    /// The message's id. Call again with it after an error.
    public let messageID: String
    let client: Client
    let input: SendChatMessageInput

    init(client: Client, input: SendChatMessageInput, messageID: String) {
        self.client = client
        self.input = input
        self.messageID = messageID
    }

    public func makeAsyncIterator() -> Iterator { Iterator(self) }

    public struct Iterator: AsyncIteratorProtocol {
        private let client: Client
        private let input: SendChatMessageInput
        private var progress: AnswerProgress
        /// The session that all requests belong to.
        private var sessionID: StoredSession.ID?
        private var body: AsyncThrowingStream<Data, any Error>.Iterator?
        private var parser = ServerSentEvents()
        private var ready: [ChatStream.Element] = []
        /// The number of failures since the last frame arrived, and the time at which to give up.
        private var failures = 0
        private var deadline: Duration?
        private var state = State.streaming

        private enum State {
            case streaming
            /// The server no longer has the stream, so the library reads the answer from the conversation.
            /// - Parameter mayGrow: whether the server may still be writing the answer.
            case reading(mayGrow: Bool)
            /// After the elements in `ready`, `next()` throws the error, if there is one, and then returns `nil`.
            case over(KeepsakeError?)
        }

        init(_ stream: ChatStream) {
            client = stream.client
            input = stream.input
            progress = AnswerProgress(messageID: stream.messageID)
        }

        /// - Returns: `nil` after the whole answer, and after an error was thrown.
        /// - Throws: `answer_failed`, `session_changed`, `cancelled`, …
        public mutating func next() async throws -> ChatStream.Element? {
            while ready.isEmpty {
                if case .over(let error) = state {
                    state = .over(nil)
                    if let error { throw error }
                    return nil
                }
                do {
                    try Task.checkCancellation(as: .cancelled)
                    try await advance()
                } catch {
                    body = nil
                    await recover(from: error)
                }
            }
            return ready.removeFirst()
        }

        private mutating func advance() async throws {
            let session = if let sessionID { sessionID } else { try await client.session.currentID() }
            sessionID = session
            if case .reading(let mayGrow) = state { return try await readConversation(mayGrow, session) }
            if body == nil { return try await connect(session) }
            guard let bytes = try await body?.next() else {
                try Task.checkCancellation(as: .cancelled)
                throw KeepsakeError(.network, "The connection closed before the answer was complete.")
            }
            // If the user has signed out, the bytes that still arrive must be dropped.
            guard try await client.session.currentID() == session else { throw Client.sessionChanged }
            for event in try parser.receive(bytes) {
                guard let element = try progress.receive(event) else { continue }
                ready.append(element)
                (failures, deadline) = (0, nil)
                if case .answer = element { return finish() }
            }
        }

        private mutating func finish() {
            body = nil
            state = .over(nil)
        }

        /// Until the first words have arrived, the library sends the message again with the same id, which is safe: the server answers a
        /// message only once. After that, it resumes the stream. It must not send the message again then: if somebody has stopped the
        /// answer, that would restart it.
        private mutating func connect(_ session: StoredSession.ID) async throws {
            let opened: AsyncThrowingStream<Data, any Error>
            do {
                if let conversation = progress.conversation, progress.answerID != nil {
                    opened = try await client.events(
                        ChatEndpoints.resume, ResumeChatInput(conversationId: conversation), sessionID: session,
                        after: String(progress.last))
                } else {
                    opened = try await client.events(ChatEndpoints.send, input, sessionID: session, after: nil)
                }
            } catch let error as KeepsakeError where error.code == .unsupported {
                return try await sendWhole(session)
            } catch let error as KeepsakeError where error.status == 404 && progress.answerID != nil {
                // The server keeps the stream for five minutes after the answer's end. This answer ended before that.
                state = .reading(mayGrow: false)
                return
            }
            parser = ServerSentEvents()
            body = opened.makeAsyncIterator()
        }

        /// Requests the whole answer, because the transport does not support streams.
        private mutating func sendWhole(_ session: StoredSession.ID) async throws {
            // `send` retries by itself, so `recover` must not retry after it.
            failures = client.retries.maxAttempts
            let answer = try await client.send(
                ChatEndpoints.send, .init(deadline: Chat.answerTimeout, sessionID: session, repeats: true)
            ) { [input] _ in input }
            ready.append(.sent(answer.requestMessage))
            finish(with: answer)
        }

        private mutating func readConversation(_ mayGrow: Bool, _ session: StoredSession.ID) async throws {
            let id = progress.conversation ?? ""
            let messages = try await client.send(ChatEndpoints.messages, .init(sessionID: session)) { _ in
                ListChatMessagesInput(conversationId: id)
            }
            let found = try await Chat(client: client).conversations().first { $0.conversationId == id }
            guard let conversation = found, let question = messages.first(where: { $0.messageId == progress.messageID }),
                let answer = messages.first(where: { $0.messageId == progress.answerID })
            else { throw KeepsakeError(.answerFailed, "The conversation no longer has the answer.") }
            if answer.error { throw KeepsakeError(.answerFailed, "The model did not answer.") }
            if mayGrow, answer.unfinished {
                throw KeepsakeError(.network, "This answer cannot be followed, because a newer message is being answered.")
            }
            finish(with: ChatAnswer(requestMessage: question, responseMessage: answer, conversation: conversation))
        }

        private mutating func finish(with answer: ChatAnswer) {
            let missing = progress.missingText(of: answer.responseMessage.text)
            if !missing.isEmpty { ready.append(.words(missing)) }
            ready.append(.answer(answer))
            finish()
        }

        /// Waits if another attempt may help.
        private mutating func recover(from error: any Error) async {
            if error is AnswerProgress.OtherAnswer {
                state = .reading(mayGrow: true)
                return
            }
            let error = KeepsakeError(transport: error)
            failures += 1
            let now = client.clock.uptime()
            let end = deadline ?? now + client.retries.deadline
            deadline = end
            let wait = client.retries.wait(
                afterAttempt: failures, retryAfter: error.retryAfter ?? parser.retry, client.randomness)
            guard error.isRetryable, error.code != .answerFailed, failures < client.retries.maxAttempts, now + wait < end else {
                state = .over(error)
                return
            }
            do { try await client.clock.sleep(wait) } catch { state = .over(KeepsakeError(transport: error)) }
        }
    }
}
