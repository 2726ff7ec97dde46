import Ask
import Core
import Intelligence

/// Composes an answer: a model writes it, or the server quotes the user's entries and files.
struct AnswerComposer: Sendable {
    let store: ChatStore
    let prompts: PromptBuilder
    let quotes: LocalAnswers
    let allowsOutside: @Sendable (_ account: String) async throws -> Bool

    /// Passes each piece of the answer to `write`, in order.
    /// - Throws: `ChatFailure`; the errors of `write`; `CancellationError`; errors of the database.
    func answer(
        _ exchange: ChatStore.Exchange, _ choice: ChatProviders.Choice, _ write: @escaping @Sendable (String) async throws -> Void
    ) async throws -> ChatEnding {
        switch choice {
        case .local(let reason):
            // The server may still be reading the message's files.
            try await prompts.waitForTexts(exchange)
            let lines = try await quotes.lines(exchange, reason)
            for (index, line) in lines.enumerated() { try await write(index == 0 ? line : "\n" + line) }
            return .complete
        case .model(let model):
            try await prompts.waitForTexts(exchange)
            let (prompt, memories) = try await prompts.prompt(for: exchange)
            // Check the permission last, because the user may have changed it since the message came.
            guard try await allowsOutside(exchange.answer.owner) else {
                throw ChatFailure("you keep your data from outside models", isRefusal: true)
            }
            let ending = try await model.answer(prompt, write)
            // The answer names the entries that the model was given, whatever the model says.
            if !memories.isEmpty { try await write("\n\n" + ChatLines.memories(memories)) }
            return ending
        }
    }
}
