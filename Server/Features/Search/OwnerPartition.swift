import Crypto

/// Where a document's tokens stand in the index. Each is prefixed by its owner and by its partition, so that a list of places holds one
/// partition of one owner, whatever others keep, and however much this one does.
struct OwnerPartition: Sendable {
    /// Documents a partition holds. A search looks at whole partitions, the latest first, so this bounds what one step can find.
    static let size: Int64 = 2_048

    private let owner: String

    /// Owners that share a key (one pair in 10¹² has the same) cost each other time and nothing else: the owner is asked of the row too.
    init(owner: String) {
        let hash = SHA256.hash(data: Array(owner.utf8)).prefix(5).reduce(UInt64(0)) { $0 << 8 | UInt64($1) }
        self.owner = Self.base32(hash, count: 8)
    }

    static func partition(of place: Int64) -> Int64 { min(place / size, 32_767) }

    func word(_ token: String, on partition: Int64) -> String { key("w", partition) + token }
    func kind(_ kind: String, on partition: Int64) -> String { key("k", partition) + kind }
    /// Stands between two texts, so that no phrase reaches from one into the other.
    func boundary(on partition: Int64) -> String { key("b", partition) }

    private func key(_ what: String, _ partition: Int64) -> String { owner + Self.base32(UInt64(partition), count: 3) + what }

    private static let digits = Array("0123456789abcdefghijklmnopqrstuv")

    private static func base32(_ value: UInt64, count: Int) -> String {
        String((0..<count).reversed().map { digits[Int(value >> (5 * UInt64($0)) & 31)] })
    }
}
