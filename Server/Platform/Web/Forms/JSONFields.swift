import Core
import Foundation

/// The members of a JSON object that a route knows, as the texts that a multipart form would have.
///
/// It does not decode other members: a client chooses how many values they have and how deep, and each value whose type must be tried costs
/// microseconds of processor time, more the deeper it is.
struct JSONFields: DecodableWithConfiguration {
    struct Configuration {
        /// The fields that the route knows.
        let names: Set<String>
        /// Which of them are not strings.
        let types: PlainFieldTypes
    }

    /// In the order of their names.
    let fields: [(name: String, text: String)]

    private struct Name: CodingKey {
        let stringValue: String
        var intValue: Int? { nil }

        init(stringValue: String) { self.stringValue = stringValue }
        init?(intValue: Int) { nil }
    }

    /// - Throws: a `Problem` when a member has the wrong type; `DecodingError` when the JSON is not an object.
    init(from decoder: any Decoder, configuration: Configuration) throws {
        let members = try decoder.container(keyedBy: Name.self)
        fields = try configuration.names.sorted().compactMap { name in
            let key = Name(stringValue: name)
            guard members.contains(key), try !members.decodeNil(forKey: key) else { return nil }
            guard let text = Self.text(members, key, configuration.types) else {
                let words = configuration.types.words(for: name)
                throw Problem(.invalid, "\(name) must be \(words).", field: name)
            }
            return (name, text)
        }
    }

    /// - Returns: nil when the member has the wrong type.
    private static func text(_ members: KeyedDecodingContainer<Name>, _ key: Name, _ types: PlainFieldTypes) -> String? {
        if types.lists.contains(key.stringValue) {
            let texts = try? members.decode([String].self, forKey: key)
            return texts.flatMap { texts in texts.contains { $0.contains(",") } ? nil : texts.joined(separator: ",") }
        }
        guard types.numbers.contains(key.stringValue) else { return try? members.decode(String.self, forKey: key) }
        if let number = try? members.decode(Int64.self, forKey: key) { return String(number) }
        return (try? members.decode(Double.self, forKey: key)).map { String($0) }
    }
}
