import MediaFrames

/// The boxes of an ISO media file (ISO/IEC 14496-12 §4.2). Callers ask for boxes by type, one level at a time, and nothing here is
/// recursive, so a file with deeply nested boxes takes no more stack or time. It reads at most 10,000 boxes unless the caller sets another
/// limit, and never outside the enclosing box.
struct ISOBoxes {
    struct Box {
        let type: Code
        /// The offset of the box's size.
        let start: Int
        let content: Range<Int>
    }

    /// A four-character code.
    struct Code: ExpressibleByStringLiteral, Equatable {
        let value: Int

        init(_ value: Int) { self.value = value }
        init(stringLiteral text: StaticString) { value = text.withUTF8Buffer { $0.reduce(0) { $0 << 8 | Int($1) } } }
    }

    let bytes: UnsafeRawBufferPointer
    private var left: Int

    init(_ bytes: UnsafeRawBufferPointer, atMost left: Int = 10_000) {
        self.bytes = bytes
        self.left = left
    }

    /// All boxes in the range, in order.
    mutating func boxes(in range: Range<Int>) throws(MediaRefused) -> [Box] {
        var boxes: [Box] = []
        var at = range.lowerBound
        while let box = try box(at, in: range) {
            boxes.append(box)
            at = box.content.upperBound
        }
        return boxes
    }

    /// The boxes in the range, up to the first bytes that are not a box.
    mutating func leadingBoxes(in range: Range<Int>) -> (boxes: [Box], end: Int) {
        var boxes: [Box] = []
        var at = range.lowerBound
        while let box = try? box(at, in: range) {
            boxes.append(box)
            at = box.content.upperBound
        }
        return (boxes, at)
    }

    /// The first box of the type; later boxes are not read.
    mutating func box(_ type: Code, in range: Range<Int>) throws(MediaRefused) -> Range<Int>? {
        var at = range.lowerBound
        while let box = try box(at, in: range) {
            if box.type == type { return box.content }
            at = box.content.upperBound
        }
        return nil
    }

    /// A box of size 0 extends to the end of the range; after size 1 comes a size of 64 bits.
    private mutating func box(_ at: Int, in range: Range<Int>) throws(MediaRefused) -> Box? {
        guard at + 8 <= range.upperBound else { return nil }
        left -= 1
        guard left > 0 else { throw MediaRefused(.unreadable) }
        var size = number(at, 4)
        var head = 8
        if size == 1 {
            guard at + 16 <= range.upperBound, number(at + 8, 4) < 1 << 24 else { throw MediaRefused(.unreadable) }
            size = number(at + 8, 8)
            head = 16
        } else if size == 0 {
            size = range.upperBound - at
        }
        guard size >= head, size <= range.upperBound - at else { throw MediaRefused(.unreadable) }
        return Box(type: code(at + 4), start: at, content: (at + head)..<(at + size))
    }

    /// A big-endian number. The caller must have checked the range.
    func number(_ at: Int, _ count: Int) -> Int { bytes[at..<at + count].reduce(0) { $0 << 8 | Int($1) } }

    /// The sum of numbers of 32 bits. The caller must have checked the range.
    func sum(of count: Int, at start: Int, every step: Int = 4) -> Int {
        var sum = 0
        var at = start
        for _ in 0..<count {
            sum += Int(UInt32(bigEndian: bytes.loadUnaligned(fromByteOffset: at, as: UInt32.self)))
            at += step
        }
        return sum
    }

    func code(_ at: Int) -> Code { Code(number(at, 4)) }
}
