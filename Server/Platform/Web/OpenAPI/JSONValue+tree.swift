import KeepsakeWire

extension JSONValue {
    /// Converts a value of YAML's core schema. A date becomes `null`; our descriptions contain none, because they quote every text that
    /// looks like a date.
    init(yaml value: Any) {
        self =
            switch value {
            case let value as Bool: .bool(value)
            case let value as Int: .integer(Int64(value))
            case let value as Double: .number(value)
            case let value as String: .string(value)
            case let value as [Any]: .array(value.map(JSONValue.init(yaml:)))
            case let value as [AnyHashable: Any]:
                .object(Dictionary(uniqueKeysWithValues: value.map { ("\($0.key)", JSONValue(yaml: $0.value)) }))
            default: .null
            }
    }

    /// The members of an object; empty for any other value.
    var object: [String: JSONValue] { if case .object(let members) = self { members } else { [:] } }

    /// A reference to one of the document's components.
    static func reference(_ kind: String, _ name: String) -> JSONValue {
        .object(["$ref": .string("#/components/\(kind)/\(name)")])
    }
}

extension [String: JSONValue] {
    /// Sets the value at the path `place`, and makes the objects on the way.
    mutating func update(at place: some Collection<String>, _ value: JSONValue) {
        guard let first = place.first else { return }
        guard place.count > 1 else { return self[first] = value }
        var inner = self[first]?.object ?? [:]
        inner.update(at: place.dropFirst(), value)
        self[first] = .object(inner)
    }
}
