import Blobs

/// The names of objects, after the address's prefix.
enum S3Names {
    static let blobs = "blobs/"
    static let tails = "staging/"

    static func blob(_ key: BlobKey) -> String { blobs + key.text }

    /// The object that holds the last bytes of a resumable blob at a checkpoint, which are fewer than a part has.
    static func tail(_ key: BlobKey, at byteCount: Int64) -> String { "\(tails)\(key.text)/\(byteCount)" }

    static func tails(of key: BlobKey) -> String { "\(tails)\(key.text)/" }

    /// - Returns: `nil` for an object that no blob store has made.
    static func key(ofBlob name: String) -> BlobKey? { name.hasPrefix(blobs) ? BlobKey(name.dropFirst(blobs.utf8.count)) : nil }

    static func key(ofTail name: String) -> BlobKey? {
        name.hasPrefix(tails) ? BlobKey(name.dropFirst(tails.utf8.count).prefix { $0 != "/" }) : nil
    }
}
