package import Blobs
package import Core
package import NIOCore

/// Writes a ZIP archive to the body of a response. Holds one piece of a file or of a text in memory, and the archive's directory.
package struct ArchiveWriter {
    package let slot: ArchiveTurns.Slot
    private let body: DownloadBody
    private let now: Timestamp
    private var zip = ZipWriter()

    /// - Parameter slot: the writer holds one of its turns while it makes a piece.
    package init(_ body: DownloadBody, slot: ArchiveTurns.Slot, now: Timestamp) {
        self.body = body
        self.slot = slot
        self.now = now
    }

    /// The size of the open entry so far.
    package var byteCount: Int64 { zip.byteCount }

    package mutating func begin(_ name: String, byteCount: Int64?, modifiedAt: Timestamp? = nil) async throws {
        try await body.write(zip.begin(name, byteCount: byteCount, modifiedAt: modifiedAt ?? now))
    }

    package mutating func write(_ bytes: ByteBuffer) async throws {
        zip.add(bytes)
        try await body.write(bytes)
    }

    package mutating func write(_ text: String) async throws {
        for piece in TextPieces(text) { try await write(piece) }
    }

    package mutating func end() async throws { try await body.write(zip.end()) }

    package mutating func add(_ name: String, _ text: String) async throws {
        try await begin(name, byteCount: nil)
        try await write(text)
        try await end()
    }

    /// Adds a stored file. Leaves it out if it was deleted in the meantime.
    package mutating func add(_ name: String, _ blob: BlobKey, modifiedAt: Timestamp, from blobs: any BlobStore) async throws {
        let bytes: any BlobReader
        do {
            bytes = try await slot.making { try await blobs.open(blob) }
        } catch BlobError.missing {
            return
        }
        try await begin(name, byteCount: bytes.byteCount, modifiedAt: modifiedAt)
        var chunks = bytes.chunks(in: 0..<bytes.byteCount, chunkSize: DownloadBody.pieceByteCount).makeAsyncIterator()
        while let chunk = try await slot.making({ try await chunks.next() }) { try await write(chunk) }
        try await end()
    }

    package mutating func finish() async throws {
        while let piece = zip.nextOfDirectory() { try await body.write(piece) }
    }
}

/// A text in UTF-8, in buffers of at most `DownloadBody.pieceByteCount` bytes. The connection holds a buffer until the client has read it.
struct TextPieces: Sequence, IteratorProtocol {
    private var rest: Substring.UTF8View

    init(_ text: String) { rest = text.utf8[...] }

    mutating func next() -> ByteBuffer? {
        guard !rest.isEmpty else { return nil }
        let piece = rest.prefix(DownloadBody.pieceByteCount)
        rest = rest[piece.endIndex...]
        return ByteBuffer(bytes: piece)
    }
}
