import Crypto

/// One partition of an owner's documents in the index. Each token begins with a key of the owner and the partition. So a posting list (the
/// documents that contain a token) covers one partition of one owner. Its length depends neither on other owners nor on how many documents
/// this owner has.
struct OwnerPartition: Sendable {
    /// How many documents a partition holds; a long document counts for several (`SearchWords.placeCount`). A search reads whole
    /// partitions, the latest first, so this limits what one step can find.
    static let size: Int64 = 2_048

    private let owner: String

    /// Whether only the search of their own feature finds documents of this kind. Their tokens have different keys, so the search over
    /// everything, and answers to questions, never read them.
    static func isSeparate(_ kind: String) -> Bool { kind.hasPrefix("chat_") }

    /// The partitions that hold documents of this kind.
    init(owner: String, kind: String) { self.init(owner: owner, isSeparate: Self.isSeparate(kind)) }

    /// Two owners rarely share a key (one pair in 10¹²). A shared key only costs time, because the statement also compares the row's owner.
    /// - Parameter isSeparate: whether the partitions hold the kinds for which `isSeparate` is true, or the others.
    init(owner: String, isSeparate: Bool = false) {
        // No account id contains NUL, so the hashes of the two cases differ.
        let hash = SHA256.hash(data: Array(owner.utf8) + (isSeparate ? [0] : [])).prefix(5).reduce(UInt64(0)) { $0 << 8 | UInt64($1) }
        self.owner = Self.base32(hash, count: 8)
    }

    static func partition(of place: Int64) -> Int64 { min(place / size, 32_767) }

    func word(_ token: String, on partition: Int64) -> String { key("w", partition) + token }
    func kind(_ kind: String, on partition: Int64) -> String { key("k", partition) + kind }
    /// A token that separates two texts, so that no phrase matches across them.
    func boundary(on partition: Int64) -> String { key("b", partition) }

    private func key(_ what: String, _ partition: Int64) -> String { owner + Self.base32(UInt64(partition), count: 3) + what }

    private static let digits = Array("0123456789abcdefghijklmnopqrstuv".utf8)

    private static func base32(_ value: UInt64, count: Int) -> String {
        String(decoding: (0..<count).reversed().map { digits[Int(value >> (5 * UInt64($0)) & 31)] }, as: UTF8.self)
    }
}
