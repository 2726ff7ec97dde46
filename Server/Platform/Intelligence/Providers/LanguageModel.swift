package import Foundation

/// A model outside the installation that answers a prompt with JSON. It is the only way in which features reach such models.
package protocol LanguageModel: Sendable {
    /// The engine's name in settings: `gemini` or `openai`.
    var name: String { get }
    /// The model's name, for the operator.
    var model: String { get }
    /// Whether it takes sound.
    var takesSound: Bool { get }

    /// - Returns: the text that the model wrote; it should be JSON of the prompt's schema, but nothing guarantees that.
    /// - Throws: `EngineFailure`; what reading a file throws; `CancellationError`.
    func answer(_ prompt: ModelPrompt) async throws -> Data
}

package struct ModelPrompt: Sendable {
    /// Reads a file when the request is about to be sent, so that no file is in memory while the request waits for its turn or for the
    /// response. `nil` when the file cannot be decoded.
    package typealias File = @Sendable () async throws -> [UInt8]?

    /// What to do; contains nothing of the user.
    package var instruction: String
    /// The material that the model works on.
    package var text: String
    /// JPEG without any metadata.
    package var picture: File?
    /// RIFF WAVE without any metadata.
    package var sound: File?
    package var schema: AnswerSchema
    /// The schema's name, of letters and underscores.
    package var schemaName: String
    /// For the ledger: `analyse`, `answer` or `probe`.
    package var purpose: String
    /// Whose data this is; `nil` for a probe.
    package var owner: String?

    var hasFiles: Bool { picture != nil || sound != nil }

    package init(
        instruction: String, text: String, picture: File? = nil, sound: File? = nil, schema: AnswerSchema, schemaName: String,
        purpose: String, owner: String?
    ) {
        self.instruction = instruction
        self.text = text
        self.picture = picture
        self.sound = sound
        self.schema = schema
        self.schemaName = schemaName
        self.purpose = purpose
        self.owner = owner
    }
}
