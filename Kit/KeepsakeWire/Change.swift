/// A field of a partial update. If the field is absent, it keeps its value; `null` clears it.
public enum Change<Value: Codable & Sendable>: Codable, Sendable {
    case unchanged
    case clear
    case set(Value)

    public init(from decoder: any Decoder) throws {
        let container = try decoder.singleValueContainer()
        self = container.decodeNil() ? .clear : .set(try container.decode(Value.self))
    }

    public func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        if case .set(let value) = self { try container.encode(value) } else { try container.encodeNil() }
    }
}

extension Change: Equatable where Value: Equatable {}

// The compiler uses these overloads in the synthesized `init(from:)` and `encode(to:)` of a struct with a `Change` property.
extension KeyedDecodingContainer {
    public func decode<Value>(_ type: Change<Value>.Type, forKey key: Key) throws -> Change<Value> {
        guard contains(key) else { return .unchanged }
        if try decodeNil(forKey: key) { return .clear }
        return .set(try decode(Value.self, forKey: key))
    }
}

extension KeyedEncodingContainer {
    public mutating func encode<Value>(_ change: Change<Value>, forKey key: Key) throws {
        switch change {
        case .unchanged: break
        case .clear: try encodeNil(forKey: key)
        case .set(let value): try encode(value, forKey: key)
        }
    }
}
