/// An optional property whose key is always in the JSON, with `null` if it has no value. JSON leaves out a plain optional property without
/// a value.
@propertyWrapper
public struct OrNull<Value: Codable & Sendable>: Codable, Sendable {
    public var wrappedValue: Value?

    public init(wrappedValue: Value?) { self.wrappedValue = wrappedValue }

    public init(from decoder: any Decoder) throws {
        let container = try decoder.singleValueContainer()
        wrappedValue = container.decodeNil() ? nil : try container.decode(Value.self)
    }

    public func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(wrappedValue)
    }
}

extension OrNull: Equatable where Value: Equatable {}

// The compiler uses these overloads in the synthesized `init(from:)` and `encode(to:)` of a struct with an `OrNull` property.
extension KeyedDecodingContainer {
    /// Also accepts JSON without the key, as a plain optional property does.
    public func decode<Value>(_ type: OrNull<Value>.Type, forKey key: Key) throws -> OrNull<Value> {
        OrNull(wrappedValue: try decodeIfPresent(Value.self, forKey: key))
    }
}

extension KeyedEncodingContainer {
    public mutating func encode<Value>(_ value: OrNull<Value>, forKey key: Key) throws { try encode(value.wrappedValue, forKey: key) }
}
