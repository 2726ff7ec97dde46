import Core
import Foundation
import NIOCore
import NIOFoundationCompat

/// The fields of a form without files, sent as `application/x-www-form-urlencoded` or as a JSON object.
enum PlainFields: Sendable {
    case urlEncoded
    case json
    /// The request has no `Content-Type`. The server reads the body as JSON if it is a JSON object, and refuses it otherwise.
    case unstated

    /// Maximum bytes of the body; more than the longest texts that a route accepts.
    static let maxByteCount = 262_144

    /// The most fields of a URL-encoded form.
    private static let itemLimit = 1_000

    /// What errors call the types of a route that accepts plain fields.
    static let acceptedTypes = "multipart/form-data, or without files also application/json or application/x-www-form-urlencoded"

    /// - Returns: `nil` for another content type.
    init?(contentType: String) {
        switch contentType.prefix(while: { $0 != ";" }).trimmingCharacters(in: .whitespaces).lowercased() {
        case "application/x-www-form-urlencoded": self = .urlEncoded
        case "application/json": self = .json
        default: return nil
        }
    }

    /// The first byte that is not white space in JSON.
    static func first(of body: ByteBuffer) -> UInt8? { body.readableBytesView.first { ![0x20, 0x09, 0x0A, 0x0D].contains($0) } }

    /// The fields as a multipart form would have them: numbers as text, a list as texts that commas separate, nothing for `null`.
    /// - Parameters:
    ///   - names: the fields that the route knows; others are ignored.
    ///   - types: which of them are not strings in JSON.
    /// - Throws: `.invalid`.
    func fields(in body: ByteBuffer, named names: Set<String>, _ types: PlainFieldTypes) throws -> [(name: String, text: String)] {
        switch self {
        // curl sends this type with a JSON object, unless it is told another one. A form never begins with a brace, because it
        // percent-encodes braces.
        case .urlEncoded where Self.first(of: body) != UInt8(ascii: "{"): try Self.urlEncoded(body).filter { names.contains($0.name) }
        case .urlEncoded, .json, .unstated: try Self.json(body, names, types)
        }
    }

    private static func urlEncoded(_ body: ByteBuffer) throws -> [(name: String, text: String)] {
        // Check this before the names are compared with those of the route: comparing texts with many combining marks takes quadratic time.
        guard !body.withUnsafeReadableBytes({ CombiningMarks.areTooMany(inPercentEncoded: $0) }) else {
            throw CombiningMarks.problem(in: "A field")
        }
        let items = body.readableBytesView.split(separator: UInt8(ascii: "&"), maxSplits: itemLimit)
        guard items.count <= itemLimit else { throw Problem(.invalid, "Send a form with at most \(itemLimit) fields.") }
        return try items.map { item in
            let parts = item.split(separator: UInt8(ascii: "="), maxSplits: 1, omittingEmptySubsequences: false)
            let texts = try parts.map { part in
                guard let text = String(validating: part.plusesAsSpaces, as: UTF8.self)?.percentDecoded else {
                    throw Problem(.invalid, "The body is not a form: percent-encode each name and value as UTF-8.")
                }
                return text
            }
            return (texts[0], texts.count > 1 ? texts[1] : "")
        }
    }

    private static func json(_ body: ByteBuffer, _ names: Set<String>, _ types: PlainFieldTypes) throws -> [(name: String, text: String)] {
        try body.withUnsafeReadableBytes { try UntrustedJSON.check($0) }
        do {
            let configuration = JSONFields.Configuration(names: names, types: types)
            return try JSONDecoder().decode(JSONFields.self, from: Data(buffer: body), configuration: configuration).fields
        } catch let problem as Problem {
            throw problem
        } catch {
            throw Problem(.invalid, "The body is not a JSON object.")
        }
    }
}

/// The fields of a form that are not strings when the form is sent as JSON.
package struct PlainFieldTypes: Sendable {
    let numbers: Set<String>
    /// The fields that are lists of strings.
    package let lists: Set<String>
    /// The fields among `numbers` that are Unix times.
    private let times: Set<String>

    package init(numbers: Set<String>, times: Set<String>, lists: Set<String>) {
        self.numbers = numbers.union(times)
        self.times = times
        self.lists = lists
    }

    /// What a field must be, for errors.
    func words(for name: String) -> String {
        if lists.contains(name) { return "a list of texts without commas" }
        if times.contains(name) { return Self.unixTime }
        return numbers.contains(name) ? "a number" : "a string"
    }

    /// What errors call a time that is a number.
    static let unixTime = "a Unix time in seconds or milliseconds, as a number"
}
