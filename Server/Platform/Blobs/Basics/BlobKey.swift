package import Core
package import Database

/// The key of a blob: 160 random bits as 40 lower-case hexadecimal digits. A key is never reused.
package struct BlobKey: Hashable, Comparable, Sendable, CustomStringConvertible {
    package static let length = 40

    /// Only `0-9a-f`, so it is safe as a file name and as a part of a path.
    package let text: String

    package init(entropy: Entropy) { text = Hex.encode(entropy.bytes(Self.length / 2)) }

    /// - Returns: `nil` for anything but 40 lower-case hexadecimal digits.
    package init?(_ text: some StringProtocol) {
        guard text.utf8.count == Self.length, text.utf8.allSatisfy({ (48...57).contains($0) || (97...102).contains($0) }) else {
            return nil
        }
        self.text = String(text)
    }

    package var description: String { text }

    package static func < (a: BlobKey, b: BlobKey) -> Bool { a.text < b.text }
}

/// Stored as TEXT. A column with any other text throws `DatabaseError.column`, so that no path is built from it.
extension BlobKey: SQLConvertible {
    package var sqlValue: SQLValue { .text(text) }
    package init?(sqlValue: SQLValue) {
        guard case .text(let text) = sqlValue else { return nil }
        self.init(text)
    }
}

extension RowReader {
    package mutating func next(_ name: StaticString, _ key: @autoclosure () -> BlobKey?) throws -> BlobKey {
        let text: String = try next(name, key()?.text)
        guard let key = BlobKey(isNaming ? String(repeating: "0", count: BlobKey.length) : text) else {
            throw DatabaseError.column("\(name)")
        }
        return key
    }
}

/// Encoded as its text. Any other text does not decode, so that no path is built from it.
extension BlobKey: Codable {
    package init(from decoder: any Decoder) throws {
        let container = try decoder.singleValueContainer()
        guard let key = BlobKey(try container.decode(String.self)) else {
            throw DecodingError.dataCorruptedError(in: container, debugDescription: "not a blob key")
        }
        self = key
    }

    package func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(text)
    }
}
