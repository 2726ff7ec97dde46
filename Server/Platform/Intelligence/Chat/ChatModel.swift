/// A model that answers in a conversation, and writes its answer piece by piece. It is the only way in which features reach such models.
package protocol ChatModel: Sendable {
    /// The provider's name in settings: `gemini`, `openai` or `librechat`.
    var provider: String { get }
    /// The model's name.
    var model: String { get }

    /// Passes each piece of the answer to `write`, in order.
    /// - Throws: `ChatFailure`, also after some pieces; the errors of `write`; the errors of reading a picture; an error of the database,
    ///   when the ledger cannot be written; `CancellationError`.
    func answer(_ prompt: ChatPrompt, _ write: @escaping @Sendable (String) async throws -> Void) async throws -> ChatEnding
}

/// What the server sends to a model.
package struct ChatPrompt: Sendable {
    package struct Picture: Sendable {
        /// For example `image/jpeg`.
        package var type: String
        /// Reads the picture, without any metadata. It is called once for each attempt, when the request is about to be sent, so that no
        /// picture is in memory while the model answers. `nil` when the picture was deleted meanwhile or cannot be decoded.
        package var read: @Sendable () async throws -> [UInt8]?
        /// Pixels.
        package var width: Int
        /// Pixels.
        package var height: Int
        /// What the client sent with the file for an upstream LibreChat.
        package var endpoint: String?
        /// As `endpoint`.
        package var toolResource: String?

        package init(
            type: String, width: Int, height: Int, endpoint: String? = nil, toolResource: String? = nil,
            read: @escaping @Sendable () async throws -> [UInt8]?
        ) {
            self.type = type
            self.read = read
            self.width = width
            self.height = height
            self.endpoint = endpoint
            self.toolResource = toolResource
        }
    }

    /// A message of the conversation.
    package struct Turn: Sendable {
        /// Whether the user wrote it; otherwise a model did.
        package var isByUser: Bool
        package var text: String
        /// Only messages of the user have pictures.
        package var pictures: [Picture]

        package init(isByUser: Bool, text: String, pictures: [Picture] = []) {
            self.isByUser = isByUser
            self.text = text
            self.pictures = pictures
        }
    }

    /// What to do; contains nothing of the user.
    package var instruction: String
    /// Oldest first; the last one is the user's.
    package var turns: [Turn]
    /// The longest answer, in tokens.
    package var tokenLimit: Int
    /// Whose data this is; `nil` for a probe.
    package var owner: String?

    var hasPictures: Bool { turns.contains { !$0.pictures.isEmpty } }

    package init(instruction: String, turns: [Turn], tokenLimit: Int, owner: String?) {
        self.instruction = instruction
        self.turns = turns
        self.tokenLimit = tokenLimit
        self.owner = owner
    }
}

/// How an answer ended.
package enum ChatEnding: Sendable, Equatable {
    case complete
    /// The model reached its limit of tokens.
    case cutShort
}

/// Why a model gave no answer, or not all of it. The description contains neither the key, nor the address, nor anything of the
/// conversation.
package struct ChatFailure: Error, Sendable, Equatable, CustomStringConvertible {
    package let description: String
    /// Whether the same request would be refused again.
    package let isRefusal: Bool
    /// A retry should wait this long; `nil` when that is not known.
    package let after: Duration?
    /// Whether the provider was not reached, is not called at the moment, took too long, or is overloaded. Otherwise it answered.
    package let isAway: Bool

    package init(_ description: String, isRefusal: Bool, after: Duration? = nil, isAway: Bool = false) {
        self.description = description
        self.isRefusal = isRefusal
        self.after = after
        self.isAway = isAway
    }
}
