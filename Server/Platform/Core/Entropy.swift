/// Unpredictable bytes, injected by initializer.
package struct Entropy: Sendable {
    private let make: @Sendable (Int) -> [UInt8]

    package init(_ make: @escaping @Sendable (Int) -> [UInt8]) { self.make = make }

    /// `count` bytes from a cryptographic generator.
    package func bytes(_ count: Int) -> [UInt8] { make(count) }

    package static let system = Entropy { count in
        var generator = SystemRandomNumberGenerator()
        var bytes: [UInt8] = []
        bytes.reserveCapacity(count + 7)
        while bytes.count < count {
            var word: UInt64 = generator.next()
            for _ in 0..<8 {
                bytes.append(UInt8(truncatingIfNeeded: word))
                word >>= 8
            }
        }
        bytes.removeLast(bytes.count - count)
        return bytes
    }
}
