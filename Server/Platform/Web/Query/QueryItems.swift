import Hummingbird

/// The items of a request's query, in their order. Hummingbird's `queryParameters` parses by characters and hashes every name.
struct QueryItems: Sequence {
    private let items: [(name: Substring, value: String)]

    init(of request: Request) { self.init(request.uri.query) }

    /// - Parameter query: `name=value` separated by `&`. In a value, `+` is a space, as forms and most HTTP libraries send it; a plus is `%2B`.
    ///   A value that is not valid percent-encoding is otherwise taken as it is; names are not decoded.
    init(_ query: String?) {
        guard let query, !query.isEmpty else {
            items = []
            return
        }
        items = query.utf8.split(separator: UInt8(ascii: "&")).map { item in
            guard let equals = item.firstIndex(of: UInt8(ascii: "=")) else { return (Substring(item), "") }
            let bytes = item[item.index(after: equals)...]
            let value = bytes.contains(UInt8(ascii: "+")) ? Substring(bytes).replacing("+", with: " ") : Substring(bytes)
            return (Substring(item[..<equals]), value.percentDecoded ?? String(value))
        }
    }

    /// The value of the first item of this name.
    subscript(name: String) -> String? { items.first { $0.name == name }?.value }

    func makeIterator() -> some IteratorProtocol<(name: Substring, value: String)> { items.makeIterator() }
}
