/// Character classes of the head of a request.
enum HeadByte {
    /// RFC 9110 §5.6.2 `tchar`.
    static func isToken(_ byte: UInt8) -> Bool { byte < 128 && tokens[Int(byte)] }

    /// Bytes that a line may contain: printable ASCII, space, tab, and bytes from 0x80 (RFC 9110 §5.5 `obs-text`).
    static func isText(_ byte: UInt8) -> Bool { byte >= 0x20 && byte != 0x7F || byte == 9 }

    static func isBlank(_ byte: UInt8) -> Bool { byte == 0x20 || byte == 9 }

    static func isHexDigit(_ byte: UInt8) -> Bool { hexValue(byte) != nil }

    static func hexValue(_ byte: UInt8) -> Int? {
        switch byte {
        case 0x30...0x39: Int(byte) - 0x30
        case 0x41...0x46: Int(byte) - 0x37
        case 0x61...0x66: Int(byte) - 0x57
        default: nil
        }
    }

    /// RFC 3986 §3.2.2 `reg-name`, percent signs included.
    static func isHostCharacter(_ byte: UInt8) -> Bool { byte < 128 && hostCharacters[Int(byte)] }

    static func lowercased(_ byte: UInt8) -> UInt8 { 0x41...0x5A ~= byte ? byte | 0x20 : byte }

    private static let tokens = table("!#$%&'*+-.^_`|~")
    private static let hostCharacters = table("-._~%!$&'()*+,;=")

    private static func table(_ signs: String) -> [Bool] {
        var table = [Bool](repeating: false, count: 128)
        let letters = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789"
        for byte in (letters + signs).utf8 { table[Int(byte)] = true }
        return table
    }
}
