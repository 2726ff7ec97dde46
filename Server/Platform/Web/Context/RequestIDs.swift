import Synchronization

/// Makes the ids of requests: 16 hexadecimal digits. Ids are unique within a process, and most likely unique across processes. They are not
/// secrets. They are not random numbers, which would cost a system call each.
enum RequestIDs {
    private static let count = Atomic<UInt64>(0)
    private static let seeds = (UInt64.random(in: .min ... .max), UInt64.random(in: .min ... .max))

    static func next() -> String {
        let (first, second) = seeds
        let number = count.wrappingAdd(1, ordering: .relaxed).newValue
        // Two rounds with a secret between them, so that an id does not tell how many requests came before it.
        return hexadecimal(mixed(mixed(first &+ number &* 0x9E37_79B9_7F4A_7C15) ^ second))
    }

    /// The finalizer of SplitMix64: a bijection, so different numbers stay different.
    private static func mixed(_ number: UInt64) -> UInt64 {
        var number = number
        number = (number ^ number >> 30) &* 0xBF58_476D_1CE4_E5B9
        number = (number ^ number >> 27) &* 0x94D0_49BB_1331_11EB
        return number ^ number >> 31
    }

    private static func hexadecimal(_ number: UInt64) -> String {
        String(unsafeUninitializedCapacity: 16) { digits in
            for index in 0..<16 {
                let nibble = UInt8(truncatingIfNeeded: number >> UInt64(60 - 4 * index)) & 15
                digits[index] = nibble < 10 ? UInt8(ascii: "0") + nibble : UInt8(ascii: "a") + nibble - 10
            }
            return 16
        }
    }
}
