/// Decides which blobs of a batch are copied at the same time: many small ones, or few large ones.
struct BlobWindow {
    /// The most blobs at the same time. Small blobs mostly wait for the store: for its disk to sync, or for its response. 32 is also the
    /// number of the local store's threads that sync.
    static let mostBlobs = 32
    /// The most bytes of these blobs together. One blob is copied whatever its size.
    static let mostBytes: Int64 = 8 << 20
    /// A larger blob counts as this many bytes, because its copy never holds more of it in memory.
    static let countedByteCount: Int64 = 1 << 20

    private var rest: ArraySlice<BlobRow>
    private var blobCount = 0
    private var byteCount: Int64 = 0

    init(_ blobs: [BlobRow]) { rest = blobs[...] }

    /// - Returns: the next blob to copy; `nil` when there is none, or it has to wait until another one ends.
    mutating func next() -> BlobRow? {
        guard let blob = rest.first, blobCount < Self.mostBlobs else { return nil }
        guard blobCount == 0 || byteCount + Self.weight(of: blob) <= Self.mostBytes else { return nil }
        rest.removeFirst()
        blobCount += 1
        byteCount += Self.weight(of: blob)
        return blob
    }

    /// Call once for each blob that `next` returned, when its copy has ended.
    mutating func ended(_ blob: BlobRow) {
        blobCount -= 1
        byteCount -= Self.weight(of: blob)
    }

    private static func weight(of blob: BlobRow) -> Int64 { min(max(blob.byteCount, 0), countedByteCount) }
}
