/// Makes ids that sort by creation time: UUID version 7 (RFC 9562 §5.7), lower case with dashes.
package struct Identifiers: Sendable {
    package let clock: WallClock
    package let entropy: Entropy

    package init(clock: WallClock, entropy: Entropy) {
        self.clock = clock
        self.entropy = entropy
    }

    package func next() -> String {
        let milliseconds = UInt64(bitPattern: clock.now.milliseconds)
        var bytes: [UInt8] = (0..<6).map { UInt8(truncatingIfNeeded: milliseconds >> (40 - 8 * UInt64($0))) }
        bytes += entropy.bytes(10)
        bytes[6] = bytes[6] & 0x0F | 0x70
        bytes[8] = bytes[8] & 0x3F | 0x80
        let hex = Hex.encode(bytes)
        let cuts = [0, 8, 12, 16, 20, 32]
        return zip(cuts, cuts.dropFirst()).map { from, to in
            String(hex.dropFirst(from).prefix(to - from))
        }.joined(separator: "-")
    }

    /// Ids in descending order, for the files of one request. These files share a creation time, so a list that shows the newest file first
    /// shows them in the order of the request.
    package func descending(_ count: Int) -> [String] { (0..<count).map { _ in next() }.sorted(by: >) }
}
