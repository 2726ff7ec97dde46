/// What an analyzer found in a capture. The coding keys are those of the API.
package struct CaptureAnalysis: Sendable, Equatable, Codable {
    package struct Face: Sendable, Equatable, Codable {
        package var description: String
        package var possibleName: String?
        /// 0…1.
        package var confidence: Double

        package init(description: String, possibleName: String?, confidence: Double) {
            self.description = description
            self.possibleName = possibleName
            self.confidence = confidence
        }
    }

    /// One sentence about the picture; `nil` without a picture.
    package var imageSummary: String?
    /// At most 8.
    package var themes: [String]
    package var mood: String?
    package var location: String?
    package var detectedFaces: [Face]
    /// At most 32, in the order in which they first occur.
    package var mentionedNames: [String]
    /// A sentence of the transcription or of the picture's text.
    package var keyMoment: String?
    /// What is written in the picture; `nil` when there is nothing.
    package var imageText: String?
    /// Why another engine than the configured one made this analysis; `nil` when none failed.
    package var error: String?
    /// The name of the engine that made it: `local`, `gemini` or `openai`.
    package var engine: String

    package init(
        imageSummary: String? = nil, themes: [String] = [], mood: String? = nil, location: String? = nil, detectedFaces: [Face] = [],
        mentionedNames: [String] = [], keyMoment: String? = nil, imageText: String? = nil, error: String? = nil, engine: String
    ) {
        self.imageSummary = imageSummary
        self.themes = themes
        self.mood = mood
        self.location = location
        self.detectedFaces = detectedFaces
        self.mentionedNames = mentionedNames
        self.keyMoment = keyMoment
        self.imageText = imageText
        self.error = error
        self.engine = engine
    }

    private enum CodingKeys: String, CodingKey {
        case imageSummary, themes, mood, location, detectedFaces, mentionedNames, keyMoment, imageText, error, engine
    }
}
