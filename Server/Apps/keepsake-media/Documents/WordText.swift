import MediaFrames

/// The text of WordprocessingML (ECMA-376 part 1, §17), read in one pass as the XML arrives. It knows the few elements that matter, and
/// keeps nothing but the current tag's name and the text so far, so no XML can make it large. It reads at most
/// `DocumentLimits.wordByteCount`. A document type, which Word never writes, ends the reading, so entities are never expanded.
struct WordText {
    /// UTF-8.
    private(set) var text: [UInt8] = []
    /// Whether `text`, or the XML that was read, has reached its limit.
    private(set) var isFull = false
    private(set) var isBroken = false

    private enum State {
        case content
        /// After `&`.
        case entity
        /// After `<`.
        case tag
        /// After `<!`.
        case declaration
        /// In a comment or an instruction, up to `end`.
        case skipped
        /// In a CDATA section.
        case data
    }

    private var state = State.content
    /// The name of the current tag, entity or declaration.
    private var name: [UInt8] = []
    private var isNameDone = false
    /// The quotation mark of the attribute's value that is being read.
    private var quote: UInt8?
    /// The last byte of the current tag.
    private var last: UInt8 = 0
    /// `seen` holds the last bytes that were read of a skipped part or a CDATA section, and `end` the bytes that end a skipped part.
    private var seen: UInt32 = 0
    private var end: (bytes: UInt32, mask: UInt32) = (0, 0)
    /// How many of the last bytes of a CDATA section are not in the text yet, because they may begin `]]>`: two or fewer.
    private var heldBackCount = 0
    /// Whether the current element holds text that the reader of the document sees.
    private var isInText = false
    /// The number of open elements whose contents are skipped: `mc:Fallback`, which repeats `mc:Choice`, and `w:tabs`, which defines
    /// positions.
    private var skippedDepth = 0
    private var scalarCount = 0
    /// Bytes of XML that were read.
    private var byteCount = 0

    private static let longestName = 64
    /// Longer than any entity that XML itself defines.
    private static let longestEntity = 10

    mutating func read(_ bytes: UnsafeRawBufferPointer) {
        let part = UnsafeRawBufferPointer(rebasing: bytes.prefix(max(0, DocumentLimits.wordByteCount - byteCount)))
        for byte in part {
            if isFull || isBroken { return }
            read(byte)
        }
        byteCount += part.count
        if byteCount == DocumentLimits.wordByteCount { isFull = true }
    }

    private mutating func read(_ byte: UInt8) {
        switch state {
        case .content:
            switch byte {
            case UInt8(ascii: "<"): begin(.tag)
            case UInt8(ascii: "&"): begin(.entity)
            default: if isInText { append(byte) }
            }
        case .entity:
            if byte == UInt8(ascii: ";") {
                state = .content
                expand()
            } else if name.count < Self.longestEntity {
                name.append(byte)
            } else {
                state = .content
            }
        case .tag: readTag(byte)
        case .declaration:
            name.append(byte)
            if name.elementsEqual("--".utf8) {
                skip(until: 0x2D_2D_3E, mask: 0xFF_FF_FF)
            } else if name.elementsEqual("[CDATA[".utf8) {
                begin(.data)
            } else if !"[CDATA[".utf8.starts(with: name), name != [UInt8(ascii: "-")] {
                isBroken = true
            }
        case .skipped:
            seen = seen << 8 | UInt32(byte)
            if seen & end.mask == end.bytes { state = .content }
        case .data:
            seen = seen << 8 | UInt32(byte)
            guard heldBackCount == 2 else { return heldBackCount += 1 }
            if seen & 0xFF_FF_FF == 0x5D_5D_3E { return state = .content }
            if isInText { append(UInt8(truncatingIfNeeded: seen >> 16)) }
        }
    }

    private mutating func begin(_ next: State) {
        state = next
        name.removeAll(keepingCapacity: true)
        (isNameDone, quote, last, seen, heldBackCount) = (false, nil, 0, 0, 0)
    }

    private mutating func skip(until bytes: UInt32, mask: UInt32) {
        state = .skipped
        seen = 0
        end = (bytes, mask)
    }

    private mutating func readTag(_ byte: UInt8) {
        defer { last = byte }
        if let open = quote {
            if byte == open { quote = nil }
            return
        }
        switch byte {
        case UInt8(ascii: ">"):
            state = .content
            element(isEmpty: last == UInt8(ascii: "/") && name.count > 0 && isNameDone)
        case UInt8(ascii: "!") where name.isEmpty: begin(.declaration)
        case UInt8(ascii: "?") where name.isEmpty: skip(until: 0x3F_3E, mask: 0xFF_FF)
        case UInt8(ascii: "\""), UInt8(ascii: "'"): (quote, isNameDone) = (byte, true)
        case 0x20, 0x09, 0x0A, 0x0D: isNameDone = true
        // The slash of `</w:t>` begins a name; that of `<w:t/>` ends one.
        case UInt8(ascii: "/") where !name.isEmpty: isNameDone = true
        default: if !isNameDone, name.count < Self.longestName { name.append(byte) }
        }
    }

    private mutating func element(isEmpty: Bool) {
        let isEnd = name.first == UInt8(ascii: "/")
        // The name without the prefix of its namespace. It shares the bytes of `name`, because a document may consist of millions of tags.
        let local = name[(name.lastIndex(of: UInt8(ascii: ":")).map { $0 + 1 } ?? (isEnd ? 1 : 0))...]
        func isNamed(_ expected: StaticString) -> Bool {
            expected.withUTF8Buffer { local.count == $0.count && local.elementsEqual($0) }
        }
        if isNamed("Fallback") || isNamed("tabs") {
            if isEnd { skippedDepth = max(0, skippedDepth - 1) } else if !isEmpty { skippedDepth += 1 }
            return
        }
        guard skippedDepth == 0 else { return isInText = false }
        if isNamed("t") {
            isInText = !isEnd && !isEmpty
        } else if isNamed("tab") {
            if !isEnd { append(UInt8(ascii: "\t")) }
        } else if isNamed("br") || isNamed("cr") {
            if !isEnd { append(UInt8(ascii: "\n")) }
        } else if isNamed("noBreakHyphen") {
            if !isEnd { append(UInt8(ascii: "-")) }
        } else if isNamed("p") {
            if isEnd || isEmpty { append(UInt8(ascii: "\n")) }
        }
    }

    private mutating func expand() {
        guard isInText else { return }
        switch String(decoding: name, as: UTF8.self) {
        case "amp": append(UInt8(ascii: "&"))
        case "lt": append(UInt8(ascii: "<"))
        case "gt": append(UInt8(ascii: ">"))
        case "quot": append(UInt8(ascii: "\""))
        case "apos": append(UInt8(ascii: "'"))
        case let text where text.hasPrefix("#"):
            let digits = text.dropFirst()
            let value = digits.first == "x" ? UInt32(digits.dropFirst(), radix: 16) : UInt32(digits)
            guard let scalar = value.flatMap(Unicode.Scalar.init) else { return }
            for byte in String(scalar).utf8 { append(byte) }
        default: return
        }
    }

    private mutating func append(_ byte: UInt8) {
        // Bytes that continue a character do not begin another one.
        if byte & 0xC0 != 0x80 {
            guard scalarCount < DocumentLimits.characters else { return isFull = true }
            scalarCount += 1
        }
        // This limits the bytes too, because invalid UTF-8 of continuation bytes alone would contain no characters to count.
        guard text.count < 4 * DocumentLimits.characters else { return isFull = true }
        text.append(byte)
    }
}
