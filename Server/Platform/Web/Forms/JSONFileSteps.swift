import Core
import NIOCore

/// Reads a JSON object in which some members are files in base64. It decodes the files while they arrive, and keeps the rest of the object
/// with `null` in place of each file. It is a state machine without I/O.
///
/// Accepts the base64 of RFC 4648 §4 and §5 (`-` and `_`), with or without padding, with line breaks, and after a `data:` prefix (RFC
/// 2397), because the existing apps send all of these. Also accepts escapes: Foundation writes every `/` as `\/`.
struct JSONFileSteps {
    enum Step: Equatable {
        case begin(member: String)
        case append(ByteBuffer)
        case end
    }

    /// The most bytes that the object without its files may have.
    let maxRestByteCount: Int
    private let members: Set<String>
    /// The object without its files.
    private(set) var rest: [UInt8] = []
    private var state = State.beforeObject
    /// The number of open braces and brackets.
    private var depth = 0
    private var key: [UInt8] = []
    private var file = Base64File()

    private enum State: Equatable {
        case beforeObject
        /// Inside the object, outside of a string. `isKeyNext`: the next string is a key of the top-level object.
        case between(isKeyNext: Bool)
        case string(isKey: Bool, isEscaped: Bool)
        case afterKey
        case beforeValue
        case file
        case afterObject
    }

    init(members: Set<String>, maxRestByteCount: Int = 65_536) {
        self.members = members
        self.maxRestByteCount = maxRestByteCount
    }

    /// - Throws: `Problem(.invalid)` when the bytes are not such an object or a file is neither a string nor null; `.tooLarge` when the
    ///   object without its files is larger than allowed.
    mutating func steps(in chunk: ByteBuffer) throws -> [Step] {
        var steps: [Step] = []
        let bytes = chunk.readableBytesView
        var at = bytes.startIndex
        while at < bytes.endIndex {
            if state == .file {
                at = try decode(bytes, from: at, &steps)
            } else {
                try take(bytes[at], &steps)
                at += 1
            }
        }
        return steps
    }

    /// - Throws: `Problem(.invalid)` when the object is incomplete.
    func finish() throws { guard state == .afterObject else { throw Self.broken } }

    static let broken = Problem(.invalid, "The body is not a JSON object.")

    private mutating func take(_ byte: UInt8, _ steps: inout [Step]) throws {
        let isSpace = byte == 0x20 || byte == 0x0A || byte == 0x0D || byte == 0x09
        switch state {
        case .beforeObject:
            if isSpace { return }
            guard byte == UInt8(ascii: "{") else { throw Self.broken }
            depth = 1
            state = .between(isKeyNext: true)
            try keep(byte)
        case .between(let isKeyNext):
            try takeBetween(byte, isKeyNext: isKeyNext)
        case .string(let isKey, let isEscaped):
            try keep(byte)
            if isEscaped || byte != UInt8(ascii: "\"") {
                // A key that contains escapes is never a file's member, so its value stays in `rest`.
                if isKey, key.count < 256 { key.append(byte) }
                state = .string(isKey: isKey, isEscaped: !isEscaped && byte == UInt8(ascii: "\\"))
            } else {
                state =
                    isKey && depth == 1 && members.contains(String(decoding: key, as: UTF8.self)) ? .afterKey : .between(isKeyNext: false)
            }
        case .afterKey:
            try keep(byte)
            if byte == UInt8(ascii: ":") { state = .beforeValue } else if !isSpace { throw Self.broken }
        case .beforeValue:
            guard byte == UInt8(ascii: "\"") else {
                if isSpace { return }
                // The value may be null. The decoder of the input refuses every other word that begins with `n`.
                guard byte == UInt8(ascii: "n") else {
                    let member = String(decoding: key, as: UTF8.self)
                    throw Problem(.invalid, "\(member) must be a string.", field: member)
                }
                state = .between(isKeyNext: false)
                return try take(byte, &steps)
            }
            for byte in "null".utf8 { try keep(byte) }
            steps.append(.begin(member: String(decoding: key, as: UTF8.self)))
            file = Base64File()
            state = .file
        case .file: preconditionFailure("files are decoded in runs")
        case .afterObject: guard isSpace else { throw Self.broken }
        }
    }

    private mutating func takeBetween(_ byte: UInt8, isKeyNext: Bool) throws {
        try keep(byte)
        switch byte {
        case UInt8(ascii: "\""):
            key = []
            state = .string(isKey: isKeyNext && depth == 1, isEscaped: false)
        case UInt8(ascii: "{"), UInt8(ascii: "["): depth += 1
        case UInt8(ascii: "}"), UInt8(ascii: "]"):
            depth -= 1
            if depth == 0 { state = .afterObject }
        case UInt8(ascii: ","): state = .between(isKeyNext: depth == 1)
        default: break
        }
    }

    private mutating func keep(_ byte: UInt8) throws {
        guard rest.count < maxRestByteCount else {
            throw Problem(.tooLarge, "The body without its files is larger than \(SizeText.limit(maxRestByteCount)).")
        }
        rest.append(byte)
    }

    /// - Returns: the index at which decoding stopped: after the closing quote, or at the end of the chunk.
    private mutating func decode(_ bytes: ByteBufferView, from start: Int, _ steps: inout [Step]) throws -> Int {
        var output: [UInt8] = []
        output.reserveCapacity((bytes.endIndex - start) / 4 * 3 + 3)
        var at = start
        var hasEnded = false
        do {
            hasEnded = try bytes.withUnsafeBytes { raw in
                while at < bytes.endIndex {
                    let isOver = try file.take(raw[at - bytes.startIndex], &output)
                    at += 1
                    if isOver { return true }
                }
                return false
            }
        } catch is Base64File.Wrong {
            let member = String(decoding: key, as: UTF8.self)
            throw Problem(.invalid, "\(member) is not base64.", field: member)
        }
        if !output.isEmpty { steps.append(.append(ByteBuffer(bytes: output))) }
        if hasEnded {
            steps.append(.end)
            state = .between(isKeyNext: false)
        }
        return at
    }
}

/// Decodes the content of a JSON string that holds base64.
private struct Base64File {
    struct Wrong: Error {}

    private enum Mode {
        /// The string may begin with `data:`; the count is how many of its characters have come.
        case beginning(Int)
        /// Inside the `data:` prefix, up to the comma; the count is how many of its bytes have come.
        case prefix(Int)
        case content
    }

    private enum Escape {
        case none
        case begun
        /// Inside `\uXXXX`: the number of digits so far, and their value.
        case unicode(Int, UInt32)
    }

    private static let scheme = Array("data:".utf8)
    private static let maxPrefixByteCount = 256

    private var mode = Mode.beginning(0)
    private var escape = Escape.none
    private var bits: UInt32 = 0
    private var bitCount = 0
    private var digits = 0
    private var padding = 0

    /// - Returns: whether the string has ended.
    mutating func take(_ byte: UInt8, _ output: inout [UInt8]) throws -> Bool {
        switch escape {
        case .none:
            if byte == UInt8(ascii: "\"") {
                try finish(&output)
                return true
            }
            guard byte >= 0x20 else { throw Wrong() }
            if byte == UInt8(ascii: "\\") { escape = .begun } else { try character(byte, &output) }
        case .begun:
            escape = .none
            switch byte {
            case UInt8(ascii: "/"): try character(byte, &output)
            case UInt8(ascii: "n"), UInt8(ascii: "r"), UInt8(ascii: "t"): break
            case UInt8(ascii: "u"): escape = .unicode(0, 0)
            default: throw Wrong()
            }
        case .unicode(let count, let value):
            guard let digit = Hex.value(of: byte) else { throw Wrong() }
            let value = value << 4 | UInt32(digit)
            guard count == 3 else {
                escape = .unicode(count + 1, value)
                return false
            }
            escape = .none
            guard value < 0x80 else { throw Wrong() }
            if ![0x0A, 0x0D, 0x09].contains(value) { try character(UInt8(value), &output) }
        }
        return false
    }

    private mutating func character(_ byte: UInt8, _ output: inout [UInt8]) throws {
        switch mode {
        case .beginning(let count):
            // The letters of `data` are valid base64 as well. Only the colon decides.
            if byte == Self.scheme[count] {
                if count == Self.scheme.count - 1 { mode = .prefix(0) } else { mode = .beginning(count + 1) }
                return
            }
            mode = .content
            for earlier in Self.scheme[..<count] { try digit(earlier, &output) }
            try digit(byte, &output)
        case .prefix(let count):
            guard count < Self.maxPrefixByteCount else { throw Wrong() }
            mode = byte == UInt8(ascii: ",") ? .content : .prefix(count + 1)
        case .content: try digit(byte, &output)
        }
    }

    /// The value of each base64 digit, 0...63; 0xFF for a byte that is not one.
    private static let values: [UInt8] = {
        var values = [UInt8](repeating: 0xFF, count: 256)
        for (value, digit) in "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/".utf8.enumerated() {
            values[Int(digit)] = UInt8(value)
        }
        values[Int(UInt8(ascii: "-"))] = 62
        values[Int(UInt8(ascii: "_"))] = 63
        return values
    }()

    private mutating func digit(_ byte: UInt8, _ output: inout [UInt8]) throws {
        if byte == UInt8(ascii: "=") {
            padding += 1
            return
        }
        if byte == 0x20 { return }
        let value = Self.values[Int(byte)]
        guard value != 0xFF, padding == 0 else { throw Wrong() }
        digits = (digits + 1) & 3
        bits = bits << 6 | UInt32(value)
        bitCount += 6
        if bitCount >= 8 {
            bitCount -= 8
            output.append(UInt8(truncatingIfNeeded: bits >> UInt32(bitCount)))
        }
    }

    /// RFC 4648 §3.5: the unused bits of the last digit must be zero, so that two different texts never decode to the same bytes.
    private mutating func finish(_ output: inout [UInt8]) throws {
        if case .beginning(let count) = mode {
            mode = .content
            for earlier in Self.scheme[..<count] { try digit(earlier, &output) }
        }
        if case .prefix = mode { throw Wrong() }
        guard digits != 1, bits & ((1 << UInt32(bitCount)) - 1) == 0, padding == 0 || padding == (4 - digits) & 3 else { throw Wrong() }
    }
}
