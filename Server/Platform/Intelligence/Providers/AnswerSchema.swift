/// The shape of the JSON that a model must answer with.
package indirect enum AnswerSchema: Sendable {
    case text
    case optionalText
    case number
    case integer
    case list(AnswerSchema)
    /// All members are required.
    case object([(name: String, schema: AnswerSchema)])

    /// JSON Schema, as OpenAI's strict mode requires it: every object names all its members as required and allows no others.
    var jsonSchema: [String: Any] {
        switch self {
        case .text: ["type": "string"]
        case .optionalText: ["type": ["string", "null"]]
        case .number: ["type": "number"]
        case .integer: ["type": "integer"]
        case .list(let element): ["type": "array", "items": element.jsonSchema]
        case .object(let members):
            [
                "type": "object", "properties": Dictionary(uniqueKeysWithValues: members.map { ($0.name, $0.schema.jsonSchema) }),
                "required": members.map(\.name), "additionalProperties": false,
            ]
        }
    }

    /// Gemini's `Schema`, a subset of OpenAPI 3.0.
    var geminiSchema: [String: Any] {
        switch self {
        case .text: ["type": "STRING"]
        case .optionalText: ["type": "STRING", "nullable": true]
        case .number: ["type": "NUMBER"]
        case .integer: ["type": "INTEGER"]
        case .list(let element): ["type": "ARRAY", "items": element.geminiSchema]
        case .object(let members):
            [
                "type": "OBJECT", "properties": Dictionary(uniqueKeysWithValues: members.map { ($0.name, $0.schema.geminiSchema) }),
                "required": members.map(\.name), "propertyOrdering": members.map(\.name),
            ]
        }
    }
}
