import Core
import KeepsakeWire
import Web

/// `POST /api/chat/agents/chat/{endpoint}`: stores a message and answers it.
struct SendMessage: Sendable {
    let store: ChatStore
    let writer: AnswerWriter
    let providers: ChatProviders
    let stream: AnswerStream
    let presenter = ChatPresenter()
    let allowsOutside: @Sendable (_ account: String) async throws -> Bool

    func handle(_ input: SendChatMessageInput, _ context: WebContext) async throws -> EventReply<ChatAnswer> {
        let owner = try context.requireViewer().accountID
        // A request with a `messageId` may have an idempotency key too. It is not needed then, because the `messageId` also prevents a
        // second message.
        let keyID = try input.messageId == nil ? context.idFromIdempotencyKey() : nil
        let question = try ChatRules.question(input, keyID: keyID)
        let choice = providers.choose(
            question.endpoint, question.model, allowsOutside: try await allowsOutside(owner))
        let words =
            question.text.utf8.count <= LongWork.textByteCount
            ? ChatStore.words(question.text) : try await context.inTurn { ChatStore.words(question.text) }
        // Take the share this late, so that a request that waits for its turn does not occupy one.
        let share = try writer.enter(context.requester, textByteCount: question.text.utf8.count)
        let answer: StoredMessage
        switch try await store.begin(question, words, provider: choice.provider, model: choice.model, owner: owner) {
        case .new(let begun):
            answer = begun.answer.withoutText
            writer.start(.init(exchange: begun, choice: choice, share: share, requester: context.requester))
        case .known(let known):
            share.release()
            answer = known.answer.withoutText
        }
        guard !context.acceptsEvents else { return .events(stream.source(answer, .beginning)) }
        return .json { try await whole(answer, context) }
    }

    /// Waits for the end of the answer. The answer is written to its end whether or not the client waits.
    /// - Parameter answer: its row without the text. The text is read only when the answer has ended, because any number of requests may
    ///   wait.
    private func whole(_ answer: StoredMessage, _ context: WebContext) async throws -> ChatAnswer {
        let (store, writer) = (store, writer)
        let ended = try await context.withoutSlot {
            try await context.whileClientIsPresent {
                var follower = AnswerFollower(answer, after: 0, store: store, writer: writer)
                return try await follower.end()
            }
        }
        guard let ended else {
            throw Problem(
                .unavailable, "The answer is not complete. Send the message again with the same messageId or key.", retryAfter: .seconds(2))
        }
        guard ended.state != .failed else {
            // A model that is busy or cannot be reached may answer soon; one that answered with an error may not.
            throw Problem(
                ended.isAway ? .unavailable : .badGateway, ended.error ?? "The model did not answer.",
                retryAfter: ended.retryAt.map { max($0 - store.clock.now, .seconds(1)) })
        }
        guard let whole = try await store.exchange(answer: ended.id, owner: ended.owner) else { throw Problem.noSuchConversation }
        return presenter.answer(whole)
    }
}

/// `GET /api/chat/agents/chat/stream/{conversationId}`: the rest of an answer whose stream was interrupted.
struct ResumeAnswer: Sendable {
    let store: ChatStore
    let stream: AnswerStream

    func handle(_ input: ResumeChatInput, _ context: WebContext) async throws -> EventReply<ChatAnswer> {
        let owner = try context.requireViewer().accountID
        guard let answer = try await store.resumable(input.conversationId, owner: owner) else {
            throw Problem(.notFound, "No answer is being written in this conversation.")
        }
        return .events(stream.source(answer, context.lastEventID.map { .after($0) } ?? .textSoFar))
    }
}

/// `POST /api/chat/agents/chat/abort`: ends the answers that are being written in a conversation, and keeps what they say so far.
struct AbortAnswer: Sendable {
    let store: ChatStore
    let writer: AnswerWriter

    /// How long the response waits for the answers to end, so that a list that the client reads afterwards shows them as ended.
    private static let patience: Duration = .seconds(3)

    func handle(_ input: ConversationInput, _ context: WebContext) async throws -> ChatAborted {
        let owner = try context.requireViewer().accountID
        let conversation = TextRules.trimmed(input.conversationId)
        guard let writing = try await store.stop(conversation, owner: owner) else { throw Problem.noSuchConversation }
        let (store, writer) = (store, writer)
        try await context.withoutSlot {
            let end = ContinuousClock.now + Self.patience
            for answer in writing {
                var follower = AnswerFollower(answer, after: 0, store: store, writer: writer)
                follow: while .now < end {
                    switch try await follower.next(within: end - .now) {
                    case .pieces, .silence: continue
                    case .ended, .superseded, .stopping: break follow
                    }
                }
            }
            // The node that wrote an answer may be dead; then this request must end the answer.
            if !writing.isEmpty { try await store.endAbandoned { writer.writing($0) != nil } }
        }
        return ChatAborted(aborted: conversation, count: writing.count)
    }
}
