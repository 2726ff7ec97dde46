import Core

/// The phone numbers that an account looked up on one day, as keyed hashes of 64 bits. The same number has a different hash for another
/// account or another day, so nobody can compare what different people looked up.
///
/// Two numbers with the same hash count as one. An account that looks up 20,000 numbers a day has such a pair once in 10¹¹ days.
struct NumberHashes: Sendable, Equatable {
    private(set) var hashes: Set<UInt64>

    /// - Parameters:
    ///   - numbers: numbers in E.164.
    ///   - day: days since 1970.
    init(_ numbers: some Sequence<String>, of account: String, day: Int64, _ signer: Signer) {
        hashes = Set(
            numbers.map { number in
                signer.sign([account, String(day), number], purpose: "contact").withUnsafeBytes { code in
                    UInt64(bigEndian: code.loadUnaligned(as: UInt64.self))
                }
            })
    }

    /// - Parameter bytes: the result of the property `bytes`.
    init(bytes: [UInt8]) {
        hashes = Set(stored: bytes)
    }

    var bytes: [UInt8] { hashes.stored }

    var count: Int { hashes.count }

    func contains(_ other: NumberHashes) -> Bool { hashes.isSuperset(of: other.hashes) }

    mutating func add(_ other: NumberHashes) { hashes.formUnion(other.hashes) }
}
