extension FlatJSON {
    /// Parses an object of at most 32 members, without nesting, fractions, null or duplicate keys.
    /// - Returns: `nil` for anything else.
    package init?(parsing bytes: [UInt8]) {
        var parser = Parser(bytes: bytes)
        guard let members = parser.object(), parser.isAtEnd else { return nil }
        self.init(members)
    }

    private struct Parser {
        let bytes: [UInt8]
        var at = 0

        var isAtEnd: Bool {
            mutating get {
                skipBlanks()
                return at == bytes.count
            }
        }

        mutating func object() -> [String: Value]? {
            guard take("{") else { return nil }
            var members: [String: Value] = [:]
            if take("}") { return members }
            repeat {
                guard members.count < 32, let key = text(), take(":"), let value = value(), members.updateValue(value, forKey: key) == nil
                else { return nil }
            } while take(",")
            return take("}") ? members : nil
        }

        private mutating func value() -> Value? {
            skipBlanks()
            guard at < bytes.count else { return nil }
            switch bytes[at] {
            case UInt8(ascii: "\""): return text().map(Value.text)
            case UInt8(ascii: "t"): return word("true") ? .truth(true) : nil
            case UInt8(ascii: "f"): return word("false") ? .truth(false) : nil
            default: return number().map(Value.number)
            }
        }

        private mutating func text() -> String? {
            guard take("\"") else { return nil }
            var result: [UInt8] = []
            while at < bytes.count {
                let byte = bytes[at]
                at += 1
                switch byte {
                case UInt8(ascii: "\""): return String(validating: result, as: UTF8.self)
                case UInt8(ascii: "\\"):
                    guard let scalar = escape() else { return nil }
                    result += Array(String(scalar).utf8)
                case 0..<0x20: return nil
                default: result.append(byte)
                }
            }
            return nil
        }

        private mutating func escape() -> Unicode.Scalar? {
            guard at < bytes.count else { return nil }
            let byte = bytes[at]
            at += 1
            switch byte {
            case UInt8(ascii: "\""), UInt8(ascii: "\\"), UInt8(ascii: "/"): return Unicode.Scalar(byte)
            case UInt8(ascii: "n"): return "\n"
            case UInt8(ascii: "r"): return "\r"
            case UInt8(ascii: "t"): return "\t"
            case UInt8(ascii: "u"):
                guard at + 4 <= bytes.count, let digits = String(validating: bytes[at..<at + 4], as: UTF8.self),
                    digits.utf8.allSatisfy({ $0 != UInt8(ascii: "+") && $0 != UInt8(ascii: "-") }), let code = UInt32(digits, radix: 16)
                else { return nil }
                at += 4
                return Unicode.Scalar(code)
            default: return nil
            }
        }

        private mutating func number() -> Int? {
            let start = at
            if at < bytes.count, bytes[at] == UInt8(ascii: "-") { at += 1 }
            while at < bytes.count, (48...57).contains(bytes[at]), at - start < 20 { at += 1 }
            return String(validating: bytes[start..<at], as: UTF8.self).flatMap { Int($0) }
        }

        private mutating func word(_ word: StaticString) -> Bool {
            let expected = word.withUTF8Buffer { Array($0) }
            guard at + expected.count <= bytes.count, Array(bytes[at..<at + expected.count]) == expected else { return false }
            at += expected.count
            return true
        }

        private mutating func take(_ character: Unicode.Scalar) -> Bool {
            skipBlanks()
            guard at < bytes.count, bytes[at] == UInt8(ascii: character) else { return false }
            at += 1
            return true
        }

        private mutating func skipBlanks() {
            while at < bytes.count, [0x20, 0x09, 0x0A, 0x0D].contains(bytes[at]) { at += 1 }
        }
    }
}
