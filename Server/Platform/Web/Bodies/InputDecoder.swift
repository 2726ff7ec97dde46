import Core
import Foundation
import KeepsakeWire
import NIOCore
import NIOFoundationCompat

/// Makes an endpoint's `Input` from the path, the query and the body. A name in the path takes precedence over the same name in a body, so
/// a body cannot override it.
enum InputDecoder {
    static func decode<Input: Decodable>(_ type: Input.Type, parameters: [String: String], json: ByteBuffer?, surface: Surface) throws
        -> Input
    {
        do {
            guard let json else { return try Input(from: MergedDecoder(parameters: parameters, base: nil)) }
            try json.withUnsafeReadableBytes { try UntrustedJSON.check($0) }
            let decoder = surface.makeDecoder()
            decoder.userInfo[.parameters] = parameters
            // An empty body stands for `{}`: clients leave it out where every field is optional.
            let body = json.readableBytes == 0 ? ByteBuffer(string: "{}") : json
            return try decoder.decode(Merged<Input>.self, from: body).input
        } catch let error as DecodingError {
            throw problem(error)
        }
    }

    private static func problem(_ error: DecodingError) -> Problem {
        func name(_ path: [any CodingKey]) -> String? {
            path.isEmpty ? nil : path.map { $0.intValue.map { "[\($0)]" } ?? ".\($0.stringValue)" }.joined().dropDot
        }
        switch error {
        case .keyNotFound(let key, let context):
            let field = name(context.codingPath + [key])
            return Problem(.invalid, "\(field ?? "A field") is missing.", field: field)
        case .valueNotFound(_, let context):
            let field = name(context.codingPath)
            return Problem(.invalid, "\(field ?? "The body") must not be null.", field: field)
        case .typeMismatch(let type, let context):
            let field = name(context.codingPath)
            return Problem(.invalid, "\(field ?? "The body") must be \(word(for: type, in: field)).", field: field)
        case .dataCorrupted(let context):
            guard let field = name(context.codingPath) else { return Problem(.invalid, "The body is not JSON.") }
            return Problem(.invalid, "\(field) has a value that is not understood.", field: field)
        @unknown default:
            return Problem(.invalid, "The request is not understood.")
        }
    }

    private static func word(for type: Any.Type, in field: String?) -> String {
        switch type {
        // The times of surface 0: `createdAt` and `takenAt`.
        case is Double.Type where field?.hasSuffix("At") == true: PlainFieldTypes.unixTime
        case is String.Type: "a string"
        case is Bool.Type: "true or false"
        case is Double.Type: "a number"
        case is any BinaryInteger.Type: "a whole number"
        default: "\(type)".hasPrefix("Array") ? "an array" : "an object"
        }
    }
}

extension String {
    fileprivate var dropDot: String { hasPrefix(".") ? String(dropFirst()) : self }
}

extension CodingUserInfoKey {
    fileprivate static let parameters = CodingUserInfoKey(rawValue: "parameters")!
}

private struct Merged<Input: Decodable>: Decodable {
    let input: Input

    init(from decoder: any Decoder) throws {
        let parameters = decoder.userInfo[.parameters] as? [String: String] ?? [:]
        input = try Input(from: MergedDecoder(parameters: parameters, base: decoder))
    }
}

/// A keyed decoder that looks a key up in the parameters first, then in the underlying decoder.
private struct MergedDecoder: Decoder {
    let parameters: [String: String]
    let base: (any Decoder)?
    var codingPath: [any CodingKey] { [] }
    var userInfo: [CodingUserInfoKey: Any] { base?.userInfo ?? [:] }

    func container<Key: CodingKey>(keyedBy type: Key.Type) throws -> KeyedDecodingContainer<Key> {
        KeyedDecodingContainer(MergedContainer(parameters: parameters, base: try base?.container(keyedBy: type)))
    }

    func unkeyedContainer() throws -> any UnkeyedDecodingContainer { throw notAnObject }
    func singleValueContainer() throws -> any SingleValueDecodingContainer { throw notAnObject }

    private var notAnObject: DecodingError {
        .typeMismatch([String: String].self, .init(codingPath: [], debugDescription: "an input is an object"))
    }
}

private struct MergedContainer<Key: CodingKey>: KeyedDecodingContainerProtocol {
    let parameters: [String: String]
    let base: KeyedDecodingContainer<Key>?
    var codingPath: [any CodingKey] { [] }
    var allKeys: [Key] { parameters.keys.compactMap { Key(stringValue: $0) } + (base?.allKeys ?? []) }

    func contains(_ key: Key) -> Bool { parameters[key.stringValue] != nil || base?.contains(key) == true }

    func decodeNil(forKey key: Key) throws -> Bool {
        if parameters[key.stringValue] != nil { return false }
        guard let base else { throw missing(key) }
        return try base.decodeNil(forKey: key)
    }

    private func missing(_ key: Key) -> DecodingError {
        .keyNotFound(key, .init(codingPath: [], debugDescription: "missing"))
    }

    private func text<T: LosslessStringConvertible & Decodable>(_ type: T.Type, _ key: Key) throws -> T {
        if let text = parameters[key.stringValue] {
            guard let value = T(text) else {
                throw DecodingError.typeMismatch(type, .init(codingPath: [key], debugDescription: "not a \(type)"))
            }
            return value
        }
        guard let base else { throw missing(key) }
        return try base.decode(type, forKey: key)
    }

    // These functions replace default implementations that would look a key up three times, although most fields of a query are optional
    // and often missing.
    func decodeIfPresent(_ type: String.Type, forKey key: Key) throws -> String? {
        if let text = parameters[key.stringValue] { return text }
        return try base?.decodeIfPresent(type, forKey: key)
    }
    func decodeIfPresent(_ type: Int.Type, forKey key: Key) throws -> Int? {
        if parameters[key.stringValue] != nil { return try text(type, key) }
        return try base?.decodeIfPresent(type, forKey: key)
    }

    func decode(_ type: Bool.Type, forKey key: Key) throws -> Bool { try text(type, key) }
    func decode(_ type: String.Type, forKey key: Key) throws -> String { try text(type, key) }
    func decode(_ type: Double.Type, forKey key: Key) throws -> Double { try text(type, key) }
    func decode(_ type: Float.Type, forKey key: Key) throws -> Float { try text(type, key) }
    func decode(_ type: Int.Type, forKey key: Key) throws -> Int { try text(type, key) }
    func decode(_ type: Int8.Type, forKey key: Key) throws -> Int8 { try text(type, key) }
    func decode(_ type: Int16.Type, forKey key: Key) throws -> Int16 { try text(type, key) }
    func decode(_ type: Int32.Type, forKey key: Key) throws -> Int32 { try text(type, key) }
    func decode(_ type: Int64.Type, forKey key: Key) throws -> Int64 { try text(type, key) }
    func decode(_ type: UInt.Type, forKey key: Key) throws -> UInt { try text(type, key) }
    func decode(_ type: UInt8.Type, forKey key: Key) throws -> UInt8 { try text(type, key) }
    func decode(_ type: UInt16.Type, forKey key: Key) throws -> UInt16 { try text(type, key) }
    func decode(_ type: UInt32.Type, forKey key: Key) throws -> UInt32 { try text(type, key) }
    func decode(_ type: UInt64.Type, forKey key: Key) throws -> UInt64 { try text(type, key) }

    func decode<T: Decodable>(_ type: T.Type, forKey key: Key) throws -> T {
        do {
            let value: T
            if let text = parameters[key.stringValue] {
                value = try T(from: TextDecoder(text: text, codingPath: [key]))
            } else {
                guard let base else { throw missing(key) }
                value = try base.decode(type, forKey: key)
            }
            // A `WireWord` decodes from any text, because a client may read responses of a newer server. Requests must not contain unknown
            // words.
            if let word = value as? any WireWord, !word.isKnown {
                throw DecodingError.dataCorrupted(.init(codingPath: [key], debugDescription: "an unknown word"))
            }
            return value
        } catch DecodingError.dataCorrupted(let context) {
            guard let accepted = AcceptedValues.words(for: type) else { throw DecodingError.dataCorrupted(context) }
            throw Problem(.invalid, "\(key.stringValue) must be \(accepted).", field: key.stringValue)
        }
    }

    func nestedContainer<Nested: CodingKey>(keyedBy type: Nested.Type, forKey key: Key) throws -> KeyedDecodingContainer<Nested> {
        guard let base else { throw missing(key) }
        return try base.nestedContainer(keyedBy: type, forKey: key)
    }
    func nestedUnkeyedContainer(forKey key: Key) throws -> any UnkeyedDecodingContainer {
        guard let base else { throw missing(key) }
        return try base.nestedUnkeyedContainer(forKey: key)
    }
    func superDecoder() throws -> any Decoder { MergedDecoder(parameters: [:], base: try base?.superDecoder()) }
    func superDecoder(forKey key: Key) throws -> any Decoder {
        guard let base else { throw missing(key) }
        return try base.superDecoder(forKey: key)
    }
}

/// What an error message says about the values of a field.
private enum AcceptedValues {
    /// `one of user, cove, event, photo` for an enum of texts; `nil` for a type without such a description.
    static func words(for type: Any.Type) -> String? {
        if type == Date.self { return "a date and time in ISO 8601, for example 2026-12-31T20:00:00Z" }
        guard let choice = type as? any (CaseIterable & RawRepresentable).Type else { return nil }
        let values = texts(of: choice)
        return values.isEmpty ? nil : "one of \(values.joined(separator: ", "))"
    }

    private static func texts<Choice: CaseIterable & RawRepresentable>(of _: Choice.Type) -> [String] {
        Choice.allCases.compactMap { $0.rawValue as? String }
    }
}

/// Decodes a value that is a text, for example a word of the API, from one text of a path or a query.
private struct TextDecoder: Decoder, SingleValueDecodingContainer {
    let text: String
    let codingPath: [any CodingKey]
    var userInfo: [CodingUserInfoKey: Any] { [:] }

    func container<Key: CodingKey>(keyedBy type: Key.Type) throws -> KeyedDecodingContainer<Key> { throw mismatch([String: String].self) }
    func unkeyedContainer() throws -> any UnkeyedDecodingContainer { throw mismatch([String].self) }
    func singleValueContainer() throws -> any SingleValueDecodingContainer { self }
    func decodeNil() -> Bool { false }
    func decode<T: Decodable>(_ type: T.Type) throws -> T {
        if let convertible = type as? any LosslessStringConvertible.Type, let value = convertible.init(text) as? T { return value }
        throw mismatch(type)
    }

    private func mismatch(_ type: Any.Type) -> DecodingError {
        .typeMismatch(type, .init(codingPath: codingPath, debugDescription: "not a \(type)"))
    }
}
