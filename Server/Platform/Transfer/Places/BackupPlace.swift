package import NIOCore

/// Where backups are kept: a folder, or a part of a bucket. Names are relative and made of `a-z`, `A-Z`, `0-9`, `-`, `_`, `.` and `/`.
package protocol BackupPlace: Sendable {
    /// For messages; contains no secret.
    var description: String { get }

    /// Stores the bytes durably under `name`, and replaces what is there. The name exists only once all bytes are stored: an error of
    /// `bytes` leaves nothing new behind.
    /// - Parameter byteCount: how many bytes follow; a wrong number is an error.
    func write(_ name: String, byteCount: Int64, _ bytes: any ByteSource) async throws

    /// Stores the bytes if nothing has this name yet.
    /// - Returns: whether they were stored. Where the place cannot tell, it stores them.
    func create(_ name: String, _ bytes: ByteBuffer) async throws -> Bool

    /// - Returns: `nil` when there is no such name.
    func read(_ name: String) async throws -> (byteCount: Int64, bytes: any ByteSource)?

    /// No error when there is no such name.
    func delete(_ name: String) async throws

    /// All names in the folder and the folders in it, in ascending order.
    /// - Parameter folder: ends with `/`.
    func list(_ folder: String) -> any BackupListing
}

package struct BackupEntry: Sendable, Hashable {
    package let name: String
    package let byteCount: Int64

    package init(name: String, byteCount: Int64) {
        self.name = name
        self.byteCount = byteCount
    }
}

/// Only one task at a time may call it.
package protocol BackupListing: AnyObject {
    /// The next entries, some hundred; empty only at the end.
    func next() async throws -> [BackupEntry]
}

extension BackupPlace {
    /// Reads a small file. Throws when it is larger than `limit`.
    func text(_ name: String, limit: Int = 64 * 1_048_576) async throws -> ByteBuffer? {
        guard let (byteCount, bytes) = try await read(name) else { return nil }
        guard byteCount <= limit else { throw TransferFailure(.damaged, "\(name) in \(description) is too large.") }
        var whole = ByteBuffer()
        while let piece = try await bytes.next() { whole.writeImmutableBuffer(piece) }
        return whole
    }

    func write(_ name: String, _ bytes: ByteBuffer) async throws {
        try await write(name, byteCount: Int64(bytes.readableBytes), OnePiece(bytes))
    }

    func names(in folder: String) async throws -> [String] {
        let listing = list(folder)
        var names: [String] = []
        while case let entries = try await listing.next(), !entries.isEmpty { names += entries.map(\.name) }
        // Files that killed runs were writing are left out.
        return names.filter { !$0.contains("/" + BackupFolder.temporary) }
    }
}

/// @unchecked: only one task at a time calls `next`.
final class OnePiece: ByteSource, @unchecked Sendable {
    private var bytes: ByteBuffer?

    init(_ bytes: ByteBuffer) { self.bytes = bytes }

    func next() async throws -> ByteBuffer? {
        let piece = bytes
        bytes = nil
        return piece
    }
}
