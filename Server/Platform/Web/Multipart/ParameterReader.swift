/// Reads `value; name=value; name="value"` as in Content-Type and Content-Disposition (RFC 2045 §5.1; RFC 9110 §5.6.6, which allows empty
/// parameters and no space around "=").
struct ParameterReader {
    enum Quoting {
        /// A backslash makes any next character literal (RFC 9110 §5.6.4).
        case standard
        /// The quoting that clients use in forms. A backslash escapes only a quote or a backslash (curl --form-escape). Before any other
        /// character it is literal, because clients send Windows paths unescaped: `C:\photo.jpg`. `%22`, `%0D` and `%0A`, in this spelling
        /// only, stand for a quote, CR and LF. Browsers encode these three and not the percent sign (WHATWG HTML, multipart/form-data
        /// encoding algorithm), so decoding anything else would corrupt valid names.
        case form
    }

    struct Parameter {
        /// The name in lower case.
        var name: String
        var value: String
        var isQuoted: Bool
    }

    private var rest: ArraySlice<UInt8>
    private let quoting: Quoting
    /// The error for text that does not match the grammar.
    private let refusal: MultipartError

    /// - Parameter text: UTF-8.
    init(_ text: ArraySlice<UInt8>, quoting: Quoting, refusal: MultipartError) {
        self.rest = Lexical.trimmed(text)
        self.quoting = quoting
        self.refusal = refusal
    }

    /// The next token in lower case.
    mutating func token() throws -> String { try rawToken().lowercased() }

    /// Takes `delimiter` if it comes next.
    mutating func skip(_ delimiter: UInt8) -> Bool {
        guard rest.first == delimiter else { return false }
        rest.removeFirst()
        return true
    }

    /// The next parameter, nil at the end.
    mutating func next() throws -> Parameter? {
        var isSeparated = false
        while true {
            rest = rest.drop(while: Lexical.isSpace)
            guard skip(UInt8(ascii: ";")) else { break }
            isSeparated = true
        }
        if rest.isEmpty { return nil }
        guard isSeparated else { throw refusal }
        let name = try token()
        guard skip(UInt8(ascii: "=")) else { throw refusal }
        guard skip(UInt8(ascii: "\"")) else { return Parameter(name: name, value: try rawToken(), isQuoted: false) }
        return Parameter(name: name, value: try quotedRest(), isQuoted: true)
    }

    private mutating func rawToken() throws -> String {
        let token = rest.prefix(while: Lexical.isToken)
        guard !token.isEmpty else { throw refusal }
        rest = rest[token.endIndex...]
        return String(decoding: token, as: UTF8.self)
    }

    /// Reads the rest of a quoted string, including the closing quote. The caller has read the opening one.
    private mutating func quotedRest() throws -> String {
        var value: [UInt8] = []
        while let byte = rest.popFirst() {
            switch byte {
            case UInt8(ascii: "\""):
                return String(decoding: value, as: UTF8.self)
            case UInt8(ascii: "\\"):
                guard let next = rest.first else { throw refusal }
                if quoting == .standard || next == UInt8(ascii: "\"") || next == UInt8(ascii: "\\") {
                    value.append(next)
                    rest.removeFirst()
                } else {
                    value.append(byte)
                }
            case UInt8(ascii: "%") where quoting == .form:
                value.append(percentDecoded() ?? byte)
            default:
                value.append(byte)
            }
        }
        throw refusal
    }

    private mutating func percentDecoded() -> UInt8? {
        let byte: UInt8
        switch String(decoding: rest.prefix(2), as: UTF8.self) {
        case "22": byte = UInt8(ascii: "\"")
        case "0D": byte = UInt8(ascii: "\r")
        case "0A": byte = UInt8(ascii: "\n")
        default: return nil
        }
        rest.removeFirst(2)
        return byte
    }
}
