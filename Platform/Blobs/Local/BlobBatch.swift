import NIOCore

/// Bytes on their way to the disk in one go. What is large is kept where it is; what is small is copied together, because a slice of
/// a few bytes may keep a whole network buffer alive: whoever sends byte by byte would otherwise fill the memory.
struct BlobBatch {
    private(set) var byteCount = 0
    private var slices: [ByteBuffer] = []
    /// Small pieces, in order, after `slices`.
    private var small = ByteBuffer()

    /// Half of its storage at least must be used by a slice that is not copied, and this many bytes.
    private static let leastKept = 16_384

    mutating func append(_ bytes: ByteBuffer) {
        guard bytes.readableBytes > 0 else { return }
        byteCount += bytes.readableBytes
        if bytes.readableBytes >= Self.leastKept, bytes.readableBytes * 2 >= bytes.storageCapacity {
            closeSmall()
            slices.append(bytes)
        } else {
            small.writeImmutableBuffer(bytes)
        }
    }

    private mutating func closeSmall() {
        guard small.readableBytes > 0 else { return }
        slices.append(small)
        small = ByteBuffer()
    }

    /// Takes the content out, leaving an empty batch.
    mutating func take() -> BlobBatch {
        defer { self = BlobBatch() }
        return self
    }

    /// The bytes where they lie, valid during the call.
    func withPointers<T>(_ body: ([UnsafeRawBufferPointer]) throws -> T) rethrows -> T {
        let all = small.readableBytes > 0 ? slices + [small] : slices
        return try withExtendedLifetime(all) {
            // The storages live as long as `all`, and nobody writes to a buffer that is shared.
            try body(all.map { $0.withUnsafeReadableBytesWithStorageManagement { pointer, _ in pointer } })
        }
    }
}
