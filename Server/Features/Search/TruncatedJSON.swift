/// Completes a JSON array of string arrays whose end was cut off.
enum TruncatedJSON {
    /// The longest prefix of `text` that can be completed, followed by the missing closing characters.
    static func closed(_ text: String) -> String {
        var depth = 0
        var isInString = false
        // Where the last character of a string starts: it may be an escape sequence that was cut.
        var escape: Int?
        let bytes = Array(text.utf8)
        var index = 0
        while index < bytes.count {
            let byte = bytes[index]
            if isInString {
                if byte == UInt8(ascii: "\\") {
                    escape = index
                    index += index + 1 < bytes.count && bytes[index + 1] == UInt8(ascii: "u") ? 6 : 2
                    if index <= bytes.count { escape = nil }
                    continue
                }
                if byte == UInt8(ascii: "\"") { isInString = false }
            } else {
                switch byte {
                case UInt8(ascii: "\""): isInString = true
                case UInt8(ascii: "["): depth += 1
                case UInt8(ascii: "]"): depth -= 1
                default: break
                }
            }
            index += 1
        }
        guard depth > 0 else { return text }
        var kept = bytes[..<(escape ?? bytes.count)]
        if isInString {
            kept.append(UInt8(ascii: "\""))
        } else if kept.last == UInt8(ascii: ",") {
            kept.removeLast()
        }
        return String(decoding: kept, as: UTF8.self) + String(repeating: "]", count: depth)
    }
}
