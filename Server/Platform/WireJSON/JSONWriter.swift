package import KeepsakeWire

/// Writes one JSON object into one buffer that grows. Types can only call `field`, so the result is always an object; the only possible
/// mistake is a duplicate key.
package struct JSONWriter: ~Copyable {
    /// A number was infinite or NaN, which JSON cannot represent.
    package struct NotFinite: Error {}

    /// The JSON would be longer than its limit.
    package struct TooLong: Error {
        /// The length that the JSON would have, in bytes. It may be a few bytes below the limit.
        package let byteCount: Int

        package init(byteCount: Int) { self.byteCount = byteCount }
    }

    // The bytes are not in an array, because an array would check for unique ownership at each of a page's thousand appends.
    private var bytes: UnsafeMutablePointer<UInt8>
    private var capacity: Int
    private var count = 0
    private var isFinite = true
    /// Maximum length in bytes. Bytes beyond it are counted, but not kept.
    private let most: Int
    private var droppedByteCount = 0

    /// Writes `value` and everything it contains.
    /// - Parameters:
    ///   - capacity: initial size in bytes, 1 or more.
    ///   - most: maximum length in bytes, see `TooLong`.
    init(_ value: some JSONSource, capacity: Int, most: Int = .max) {
        self.capacity = capacity
        self.most = most
        bytes = UnsafeMutablePointer<UInt8>.allocate(capacity: capacity)
        object(value)
    }

    /// Writes one object.
    /// - Parameters:
    ///   - capacity: initial size in bytes, 1 or more.
    ///   - write: writes the object's fields.
    init(capacity: Int, _ write: (inout JSONWriter) throws -> Void) rethrows {
        self.capacity = capacity
        most = .max
        bytes = UnsafeMutablePointer<UInt8>.allocate(capacity: capacity)
        put(UInt8(ascii: "{"))
        try write(&self)
        reserve(1)
        put(UInt8(ascii: "}"))
    }

    deinit { bytes.deallocate() }

    func withBytes<Result>(_ body: (UnsafeRawBufferPointer) throws -> Result) throws -> Result {
        guard isFinite else { throw NotFinite() }
        guard droppedByteCount == 0 else { throw TooLong(byteCount: droppedByteCount + count) }
        return try body(UnsafeRawBufferPointer(start: bytes, count: count))
    }

    // MARK: Fields
    // Each call writes one field. `nil` is left out, as in the synthesized `encode(to:)`; with `orNull` it is written as `null`.

    package mutating func field(_ key: StaticString, _ value: Bool) {
        name(key)
        flag(value)
    }

    package mutating func field(_ key: StaticString, _ value: Int?) {
        guard let value else { return }
        name(key)
        integer(value)
    }

    /// A value that is not finite makes the whole response fail.
    package mutating func field(_ key: StaticString, _ value: Double?) {
        guard let value else { return }
        name(key)
        number(value)
    }

    /// A value that is not finite makes the whole response fail.
    package mutating func field(_ key: StaticString, orNull value: Double?) {
        name(key)
        if let value { number(value) } else { null() }
    }

    /// A value that is not finite makes the whole response fail.
    package mutating func field(_ key: StaticString, _ values: [Double]) {
        name(key)
        array(values) { $0.number($1) }
    }

    package mutating func field(_ key: StaticString, _ value: String?) {
        guard let value else { return }
        name(key)
        text(value)
    }

    package mutating func field(_ key: StaticString, orNull value: String?) {
        name(key)
        if let value { text(value) } else { null() }
    }

    package mutating func field(_ key: StaticString, _ values: [String]?) {
        guard let values else { return }
        name(key)
        array(values) { $0.text($1) }
    }

    package mutating func field(_ key: StaticString, orNull values: [String]?) {
        name(key)
        if let values { array(values) { $0.text($1) } } else { null() }
    }

    package mutating func field(_ key: StaticString, _ values: [[Int]]) {
        name(key)
        array(values) { json, row in json.array(row) { $0.integer($1) } }
    }

    package mutating func field(_ key: StaticString, _ value: (some JSONWritable)?) {
        guard let value else { return }
        name(key)
        object(value)
    }

    package mutating func field(_ key: StaticString, orNull value: (some JSONWritable)?) {
        name(key)
        if let value { object(value) } else { null() }
    }

    package mutating func field(_ key: StaticString, _ values: [some JSONWritable]) {
        name(key)
        array(values) { $0.object($1) }
    }

    package mutating func field(_ key: StaticString, _ fragments: [JSONFragment]) {
        name(key)
        array(fragments) { json, fragment in fragment.bytes.withUnsafeBufferPointer { json.copy($0) } }
    }

    // MARK: Fields from bytes
    // These are for rows that are written while they are read. Making a `String` for each column would cost more than the writing.

    /// - Parameter text: UTF-8.
    package mutating func field(_ key: StaticString, utf8 text: UnsafeBufferPointer<UInt8>) {
        name(key)
        quote(text)
    }

    /// - Parameter json: a JSON value (RFC 8259, UTF-8), copied as it is. Anything else makes the whole response invalid.
    package mutating func field(_ key: StaticString, json: UnsafeBufferPointer<UInt8>) {
        name(key)
        copy(json)
    }

    /// Writes an array. `write` calls `element` once for each of its elements.
    /// - Parameter write: returns whether to keep the field; `false` removes the field.
    /// - Returns: what `write` returned.
    @discardableResult
    package mutating func field(_ key: StaticString, elements write: (inout JSONWriter) throws -> Bool) rethrows -> Bool {
        let start = count
        name(key)
        put("[")
        let isKept = try write(&self)
        if isKept { put("]") } else { count = start }
        return isKept
    }

    /// - Parameter text: characters that JSON does not escape, for example a URL or an id.
    package mutating func element(unescaped text: UnsafeBufferPointer<UInt8>) {
        reserve(text.count + 3)
        separate()
        put(UInt8(ascii: "\""))
        if let start = text.baseAddress { put(start, text.count) }
        put(UInt8(ascii: "\""))
    }

    /// - Parameter write: writes the object's fields.
    package mutating func element(_ write: (inout JSONWriter) -> Void) {
        reserve(2)
        separate()
        put(UInt8(ascii: "{"))
        write(&self)
        put("}")
    }

    private mutating func copy(_ json: UnsafeBufferPointer<UInt8>) {
        guard let start = json.baseAddress else { return }
        reserve(json.count)
        put(start, json.count)
    }

    /// Writes a field whose key is known only at run time, for kinds of features without a writer of their own.
    package mutating func field(named key: String, _ value: JSONValue) {
        reserve(1)
        separate()
        text(key)
        reserve(1)
        put(UInt8(ascii: ":"))
        write(value)
    }

    private mutating func write(_ value: JSONValue) {
        switch value {
        case .null: null()
        case .bool(let value): flag(value)
        case .integer(let value): integer(Int(value))
        case .number(let value): number(value)
        case .string(let value): text(value)
        case .array(let values): array(values) { $0.write($1) }
        case .object(let fields):
            reserve(1)
            put(UInt8(ascii: "{"))
            for (key, value) in fields.sorted(by: { $0.key < $1.key }) { field(named: key, value) }
            reserve(1)
            put(UInt8(ascii: "}"))
        }
    }

    // MARK: Bytes

    private mutating func reserve(_ more: Int) {
        if capacity - count < more { grow(more) }
    }

    @inline(never)
    private mutating func grow(_ more: Int) {
        if droppedByteCount + count + more > most, count > 1 {
            // Nobody will use the JSON, so the same memory can be written again. `separate` reads the last byte.
            bytes[0] = bytes[count - 1]
            (droppedByteCount, count) = (droppedByteCount + count - 1, 1)
            if capacity - count >= more { return }
        }
        let wider = max(2 * capacity, count + more)
        let moved = UnsafeMutablePointer<UInt8>.allocate(capacity: wider)
        moved.update(from: bytes, count: count)
        bytes.deallocate()
        bytes = moved
        capacity = wider
    }

    /// - Precondition: enough bytes are reserved.
    private mutating func put(_ byte: UInt8) {
        bytes[count] = byte
        count += 1
    }

    /// - Precondition: enough bytes are reserved.
    private mutating func put(_ start: UnsafePointer<UInt8>, _ length: Int) {
        (bytes + count).update(from: start, count: length)
        count += length
    }

    private mutating func put(_ text: StaticString) {
        reserve(text.utf8CodeUnitCount)
        put(text.utf8Start, text.utf8CodeUnitCount)
    }

    // MARK: Structure

    /// Writes a comma, except after an opening bracket: a value ends in a quote, a digit, a letter or a closing bracket.
    private mutating func separate() {
        let last = bytes[count - 1]
        if last != UInt8(ascii: "{"), last != UInt8(ascii: "[") { put(UInt8(ascii: ",")) }
    }

    /// - Parameter key: a constant of the program, so it needs no escaping.
    private mutating func name(_ key: StaticString) {
        reserve(key.utf8CodeUnitCount + 4)
        separate()
        put(UInt8(ascii: "\""))
        put(key.utf8Start, key.utf8CodeUnitCount)
        put(UInt8(ascii: "\""))
        put(UInt8(ascii: ":"))
    }

    private mutating func object(_ value: some JSONSource) {
        reserve(1)
        put(UInt8(ascii: "{"))
        value.write(to: &self)
        reserve(1)
        put(UInt8(ascii: "}"))
    }

    private mutating func array<Element>(_ elements: [Element], _ write: (inout JSONWriter, Element) -> Void) {
        reserve(1)
        put(UInt8(ascii: "["))
        for element in elements {
            reserve(1)
            separate()
            write(&self, element)
        }
        reserve(1)
        put(UInt8(ascii: "]"))
    }

    // MARK: Values

    private mutating func null() { put("null") }

    private mutating func flag(_ value: Bool) { put(value ? "true" : "false") }

    private mutating func integer(_ value: Int) {
        reserve(20)
        if value < 0 { put(UInt8(ascii: "-")) }
        let first = count
        var rest = value.magnitude
        repeat {
            put(UInt8(ascii: "0") + UInt8(truncatingIfNeeded: rest % 10))
            rest /= 10
        } while rest > 0
        // The digits were written in reverse order.
        var (low, high) = (first, count - 1)
        while low < high {
            (bytes[low], bytes[high]) = (bytes[high], bytes[low])
            low += 1
            high -= 1
        }
    }

    /// Writes the fewest digits that parse to the same number.
    private mutating func number(_ value: Double) {
        guard value.isFinite else {
            isFinite = false
            return null()
        }
        if let whole = Int(exactly: value) { return integer(whole) }
        var digits = value.description
        digits.withUTF8 { digits in
            guard let start = digits.baseAddress else { return }
            reserve(digits.count)
            put(start, digits.count)
        }
    }

    private mutating func text(_ value: String) {
        // Only strings from Objective-C lack contiguous UTF-8 storage.
        if value.utf8.withContiguousStorageIfAvailable({ quote($0) }) == nil {
            var copy = value
            copy.withUTF8 { quote($0) }
        }
    }

    private mutating func quote(_ text: UnsafeBufferPointer<UInt8>) {
        reserve(text.count + 2)
        put(UInt8(ascii: "\""))
        if let start = text.baseAddress {
            var from = 0
            while true {
                let stop = Self.firstToEscape(start, from, text.count)
                reserve(stop - from + 8)
                put(start + from, stop - from)
                if stop == text.count { break }
                escape(start[stop])
                from = stop + 1
            }
        }
        reserve(1)
        put(UInt8(ascii: "\""))
    }

    /// Escapes as in RFC 8259 §7. Other characters need no escaping: UTF-8 may contain U+2028 unescaped.
    private mutating func escape(_ byte: UInt8) {
        switch byte {
        case UInt8(ascii: "\""): put(#"\""#)
        case UInt8(ascii: "\\"): put(#"\\"#)
        case 0x08: put(#"\b"#)
        case 0x09: put(#"\t"#)
        case 0x0A: put(#"\n"#)
        case 0x0C: put(#"\f"#)
        case 0x0D: put(#"\r"#)
        default:
            put(#"\u00"#)
            reserve(2)
            put(UInt8(ascii: "0") + byte >> 4)
            let low = byte & 0x0F
            put(low < 10 ? UInt8(ascii: "0") + low : UInt8(ascii: "a") + low - 10)
        }
    }

    /// The index of the first quote, backslash or byte below 0x20; otherwise `end`. It looks at eight bytes at a time.
    private static func firstToEscape(_ start: UnsafePointer<UInt8>, _ from: Int, _ end: Int) -> Int {
        let ones: UInt64 = 0x0101_0101_0101_0101
        let highBits = ones &* 0x80
        var at = from
        while end - at >= 8 {
            let word = UInt64(littleEndian: UnsafeRawPointer(start + at).loadUnaligned(as: UInt64.self))
            let quotes = word ^ (ones &* UInt64(UInt8(ascii: "\"")))
            let backslashes = word ^ (ones &* UInt64(UInt8(ascii: "\\")))
            // If a subtraction sets a high bit that was clear, that byte was below the limit. Only bits above such a byte can be wrong, so
            // the lowest bit that is set is right.
            let below = (word &- (ones &* 0x20)) & ~word
            let found = (below | ((quotes &- ones) & ~quotes) | ((backslashes &- ones) & ~backslashes)) & highBits
            if found != 0 { return at + found.trailingZeroBitCount / 8 }
            at += 8
        }
        while at < end, start[at] >= 0x20, start[at] != UInt8(ascii: "\""), start[at] != UInt8(ascii: "\\") { at += 1 }
        return at
    }
}
