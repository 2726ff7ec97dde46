import MediaFrames

/// The boxes of an ISO media file (ISO/IEC 14496-12 §4.2). Whoever walks them goes down a path it knows, so that depth costs nothing; at
/// most 10,000 are looked at unless more are asked for, and nothing outside of the box that one is in.
struct ISOBoxes {
    struct Box {
        let type: Code
        let content: Range<Int>
    }

    /// Four letters.
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

    /// All of them, one behind the other up to the end.
    mutating func boxes(in range: Range<Int>) throws(MediaRefused) -> [Box] {
        var boxes: [Box] = []
        var at = range.lowerBound
        while let box = try box(at, in: range) {
            boxes.append(box)
            at = box.content.upperBound
        }
        return boxes
    }

    /// The first of its kind; what follows it is not looked at.
    mutating func box(_ type: Code, in range: Range<Int>) throws(MediaRefused) -> Range<Int>? {
        var at = range.lowerBound
        while let box = try box(at, in: range) {
            if box.type == type { return box.content }
            at = box.content.upperBound
        }
        return nil
    }

    /// A size of 0 reaches to the end, a size of 1 is followed by one of 64 bits.
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
        return Box(type: code(at + 4), content: (at + head)..<(at + size))
    }

    /// Big-endian; the caller has checked that it is there.
    func number(_ at: Int, _ count: Int) -> Int { bytes[at..<at + count].reduce(0) { $0 << 8 | Int($1) } }

    /// Of numbers of 32 bits; the caller has checked that they are there.
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
