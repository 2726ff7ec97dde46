import Core
import Hummingbird

/// The items of a request's query, in their order. Hummingbird's `queryParameters` is not used, because it parses by characters and hashes
/// every name.
struct QueryItems: Sequence {
    /// The most items. No route has nearly as many parameters. The event loop splits the query before it knows the caller, so a request
    /// must not make it handle thousands of items.
    static let maxCount = 100

    /// The values are not decoded yet. The event loop decodes only those of a credential; the thread of the handler decodes the others.
    private let items: [(name: Substring, value: Substring)]

    /// - Throws: `.invalid` for more than `maxCount` items.
    init(of request: Request) throws { try self.init(request.uri.query) }

    /// - Parameter query: `name=value` separated by `&`. In a value, `+` is a space, as forms and most HTTP libraries send it; a plus is
    ///   `%2B`. Apart from that, a value that is not valid percent-encoding is taken as it is. Names are not decoded.
    /// - Throws: `.invalid` for more than `maxCount` items.
    init(_ query: String?) throws {
        guard let query, !query.isEmpty else {
            items = []
            return
        }
        let parts = query.utf8.split(separator: UInt8(ascii: "&"), maxSplits: Self.maxCount)
        guard parts.count <= Self.maxCount else { throw Problem(.invalid, "Send at most \(Self.maxCount) query parameters.") }
        items = parts.map { item in
            guard let equals = item.firstIndex(of: UInt8(ascii: "=")) else { return (Substring(item), Substring()) }
            return (Substring(item[..<equals]), Substring(item[item.index(after: equals)...]))
        }
    }

    /// The value of the first item of this name.
    subscript(name: String) -> String? {
        items.first { $0.name.utf8.elementsEqual(name.utf8) }.map { Self.decoded($0.value) }
    }

    /// Whether the value of the first item of this name, as it was sent, has more bytes than `limit`.
    func isLonger(_ name: String, than limit: Int) -> Bool {
        items.first { $0.name.utf8.elementsEqual(name.utf8) }.map { $0.value.utf8.count > limit } ?? false
    }

    func makeIterator() -> some IteratorProtocol<(name: Substring, value: String)> {
        items.lazy.map { (name: $0.name, value: Self.decoded($0.value)) }.makeIterator()
    }

    private static func decoded(_ value: Substring) -> String {
        guard value.utf8.contains(UInt8(ascii: "+")) else { return value.percentDecoded ?? String(value) }
        let text = String(decoding: value.utf8.plusesAsSpaces, as: UTF8.self)
        return text.percentDecoded ?? text
    }
}

extension Sequence<UInt8> {
    /// The bytes of a form's value, with a space for each `+`. It compares bytes, because a search for characters takes much longer.
    var plusesAsSpaces: [UInt8] { map { $0 == UInt8(ascii: "+") ? UInt8(ascii: " ") : $0 } }
}
