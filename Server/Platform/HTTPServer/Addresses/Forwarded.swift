/// One hop of the field `Forwarded` (RFC 7239 §4).
struct Forwarded: Equatable {
    /// The `for` parameter; `nil` when it is `unknown`, an obfuscated identifier (§6.3), or missing.
    var client: IPAddress?
    var proto: String?

    /// - Returns: the hops from the farthest to the nearest; `nil` when the text violates §4.
    static func parse(_ text: String) -> [Forwarded]? {
        var reader = Reader(bytes: ArraySlice(text.utf8))
        var hops: [Forwarded] = []
        repeat {
            guard let hop = reader.hop() else { return nil }
            hops.append(hop)
        } while reader.skip(UInt8(ascii: ","))
        return reader.isAtEnd ? hops : nil
    }

    /// Parses `192.0.2.1`, `192.0.2.1:80`, `[2001:db8::1]` or `[2001:db8::1]:80`; also a bare IPv6 address, as in `X-Forwarded-For`.
    static func address(_ node: String) -> IPAddress? {
        if node.hasPrefix("[") {
            guard let end = node.firstIndex(of: "]") else { return nil }
            let rest = node[node.index(after: end)...]
            guard rest.isEmpty || (rest.hasPrefix(":") && isPort(rest.dropFirst())) else { return nil }
            let inner = String(node[node.index(after: node.startIndex)..<end])
            return inner.contains(":") ? IPAddress(inner) : nil
        }
        let parts = node.split(separator: ":", omittingEmptySubsequences: false)
        guard parts.count == 2 else { return IPAddress(node) }
        return isPort(parts[1]) ? IPAddress(String(parts[0])) : nil
    }

    private static func isPort(_ text: Substring) -> Bool {
        !text.isEmpty && text.utf8.count <= 6 && text.utf8.allSatisfy { HeadByte.isToken($0) }
    }

    private struct Reader {
        var bytes: ArraySlice<UInt8>

        var isAtEnd: Bool { bytes.isEmpty }

        /// Parses one hop: `pair *( ";" pair )`, where each pair may be missing.
        mutating func hop() -> Forwarded? {
            var hop = Forwarded()
            var seen: Set<String> = []
            repeat {
                skipBlanks()
                guard let name = token()?.lowercased() else { continue }
                guard skip(UInt8(ascii: "=")), let value = bytes.first == UInt8(ascii: "\"") ? quoted() : token() else { return nil }
                // A repeated parameter is an error (§4): two parsers could take different values.
                guard seen.insert(name).inserted else { return nil }
                if name == "for" { hop.client = Forwarded.address(value) }
                if name == "proto" { hop.proto = value }
                skipBlanks()
            } while skip(UInt8(ascii: ";"))
            return hop
        }

        mutating func skip(_ byte: UInt8) -> Bool {
            guard bytes.first == byte else { return false }
            bytes.removeFirst()
            return true
        }

        private mutating func skipBlanks() { bytes = bytes.drop(while: HeadByte.isBlank) }

        /// A token. The reader also accepts colons and brackets in it, because many proxies write addresses without the required quotes.
        private mutating func token() -> String? {
            let word = bytes.prefix {
                HeadByte.isToken($0) || $0 == UInt8(ascii: ":") || $0 == UInt8(ascii: "[") || $0 == UInt8(ascii: "]")
            }
            guard !word.isEmpty else { return nil }
            bytes = bytes.dropFirst(word.count)
            return String(decoding: word, as: UTF8.self)
        }

        private mutating func quoted() -> String? {
            bytes.removeFirst()
            var text: [UInt8] = []
            while let byte = bytes.popFirst() {
                if byte == UInt8(ascii: "\"") { return String(decoding: text, as: UTF8.self) }
                if byte == UInt8(ascii: "\\") {
                    guard let escaped = bytes.popFirst() else { return nil }
                    text.append(escaped)
                } else {
                    text.append(byte)
                }
            }
            return nil
        }
    }
}
