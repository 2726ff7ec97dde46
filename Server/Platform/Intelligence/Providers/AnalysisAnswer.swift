internal import Foundation

/// A model's analysis as it came. Every member is required and has its type; anything else is an error of the engine.
struct AnalysisAnswer: Decodable {
    struct Face: Decodable {
        let description: String
        let possibleName: String?
        let confidence: Double
    }

    let imageSummary: String?
    let themes: [String]
    let mood: String?
    let location: String?
    let detectedFaces: [Face]
    let mentionedNames: [String]
    let keyMoment: String?
    let imageText: String?

    static let schema = AnswerSchema.object([
        ("imageSummary", .optionalText), ("themes", .list(.text)), ("mood", .optionalText), ("location", .optionalText),
        (
            "detectedFaces",
            .list(.object([("description", .text), ("possibleName", .optionalText), ("confidence", .number)]))
        ), ("mentionedNames", .list(.text)), ("keyMoment", .optionalText), ("imageText", .optionalText),
    ])

    enum CodingKeys: String, CodingKey {
        case imageSummary, themes, mood, location, detectedFaces, mentionedNames, keyMoment, imageText
    }

    /// - Throws: `EngineFailure.unavailable` for anything that is not the schema's JSON: a model may do better when asked again.
    init(_ bytes: Data, from engine: String) throws {
        guard let answer = try? JSONDecoder().decode(AnalysisAnswer.self, from: bytes) else {
            throw EngineFailure.unavailable("\(engine)'s answer is not the JSON that was asked for", after: nil)
        }
        guard answer.isSensible else { throw EngineFailure.unavailable("\(engine)'s answer makes no sense", after: nil) }
        self = answer
    }

    init(from decoder: any Decoder) throws {
        let members = try decoder.container(keyedBy: CodingKeys.self)
        // The member must be there, even if it is null: a model that leaves members out has not followed the schema.
        func text(_ key: CodingKeys) throws -> String? {
            try members.decodeNil(forKey: key) ? nil : try members.decode(String.self, forKey: key)
        }
        imageSummary = try text(.imageSummary)
        themes = try members.decode([String].self, forKey: .themes)
        mood = try text(.mood)
        location = try text(.location)
        detectedFaces = try members.decode([Face].self, forKey: .detectedFaces)
        mentionedNames = try members.decode([String].self, forKey: .mentionedNames)
        keyMoment = try text(.keyMoment)
        imageText = try text(.imageText)
    }

    /// Whether lengths and numbers are in a range that an analysis can have.
    private var isSensible: Bool {
        let short = [mood, location].compactMap { $0 } + themes + mentionedNames + detectedFaces.compactMap(\.possibleName)
        return themes.count <= 32 && mentionedNames.count <= 64 && detectedFaces.count <= 64
            && short.allSatisfy { $0.count <= 200 && !$0.contains(where: \.isNewline) }
            && (imageSummary?.count ?? 0) <= 2_000 && (keyMoment?.count ?? 0) <= 2_000 && (imageText?.count ?? 0) <= 10_000
            && detectedFaces.allSatisfy { $0.description.count <= 500 && $0.confidence.isFinite && (0...1).contains($0.confidence) }
    }

    /// A face that the engine is less sure of changes no contact.
    private static let leastConfidence = 0.5

    /// The part of the answer that is kept: names and faces' names only if the input says them, and a key moment only if the input contains
    /// it.
    func checked(against input: CaptureInput, engine: String) -> CaptureAnalysis {
        let said = [input.transcription, input.imageText].compactMap { $0 }
        let known = said + input.contacts
        let faces: [CaptureAnalysis.Face] =
            input.picture == nil
            ? []
            : detectedFaces.map { face in
                CaptureAnalysis.Face(
                    description: Self.line(face.description) ?? "a face",
                    possibleName: Self.line(face.possibleName).flatMap { Grounding.stands($0, in: known) ? $0 : nil },
                    confidence: face.confidence)
            }
        var names: [String] = []
        // A person who is recognised in the picture counts as mentioned, because contacts are made from these names.
        let recognised = faces.filter { $0.confidence >= Self.leastConfidence }.compactMap(\.possibleName)
        for name in mentionedNames.compactMap({ Self.line($0) }) + recognised
        where Grounding.stands(name, in: known) && !names.contains(where: { $0.lowercased() == name.lowercased() }) {
            names.append(name)
        }
        return CaptureAnalysis(
            imageSummary: input.picture == nil ? nil : Self.line(imageSummary),
            themes: Array(Self.distinct(themes.compactMap { Self.line($0)?.lowercased() }).prefix(8)), mood: Self.line(mood)?.lowercased(),
            location: Self.line(location), detectedFaces: faces, mentionedNames: Array(names.prefix(32)),
            keyMoment: Self.line(keyMoment).flatMap { Grounding.stands($0, in: said) ? $0 : nil } ?? KeySentence.of(input),
            imageText: input.imageText ?? (input.picture == nil ? nil : Self.text(imageText)), engine: engine)
    }

    private static func text(_ text: String?) -> String? {
        guard let text = text?.replacing("\0", with: "").trimmingCharacters(in: .whitespacesAndNewlines), !text.isEmpty else { return nil }
        return text
    }

    private static func line(_ text: String?) -> String? {
        self.text(text?.split(whereSeparator: \.isWhitespace).joined(separator: " "))
    }

    private static func distinct(_ texts: [String]) -> [String] {
        var seen: Set<String> = []
        return texts.filter { seen.insert($0).inserted }
    }
}
