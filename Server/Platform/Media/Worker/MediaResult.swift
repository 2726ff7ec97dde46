internal import CMedia
internal import MediaFrames

#if canImport(Glibc)
    internal import Glibc
#elseif canImport(Darwin)
    internal import Darwin
#endif

/// The bytes that a worker made. The server copies a small result into its own memory. A large result stays in the sealed memory that the
/// worker filled, so that the server can read it in pieces; the system frees that memory when nobody refers to the result any more.
package struct MediaResult: Sendable, Equatable {
    private enum Content: Sendable {
        case copied([UInt8])
        case sealed(SealedMemory)
    }

    /// A result with more bytes stays in sealed memory.
    package static let copiedByteCount = 2 << 20

    private let content: Content
    private var token: ResultToken?

    init(_ bytes: [UInt8]) { content = .copied(bytes) }

    /// - Parameter descriptor: belongs to the caller.
    /// - Returns: `nil` when the memory is not sealed, is empty, has more than `PictureLimits.variantByteCount` bytes, or cannot
    ///   be read.
    init?(sealed descriptor: CInt) {
        guard let byteCount = SealedMemory.byteCount(of: descriptor) else { return nil }
        if byteCount <= Self.copiedByteCount {
            guard let bytes = SealedMemory.read(descriptor, 0..<byteCount) else { return nil }
            content = .copied(bytes)
        } else {
            guard let memory = SealedMemory(copyOf: descriptor, byteCount: byteCount) else { return nil }
            content = .sealed(memory)
        }
    }

    /// The same result. It holds the token until nobody refers to the result any more.
    func counted(by token: ResultToken) -> MediaResult {
        var result = self
        result.token = token
        return result
    }

    package var byteCount: Int {
        switch content {
        case .copied(let bytes): bytes.count
        case .sealed(let memory): memory.byteCount
        }
    }

    /// Whether the bytes are in sealed memory, so that the server holds no copy of them.
    package var isSealed: Bool {
        switch content {
        case .copied: false
        case .sealed: true
        }
    }

    /// A copy of all bytes.
    /// - Throws: `MediaFailure.crashed` when the system does not return them.
    package func bytes() throws(MediaFailure) -> [UInt8] { try read(0..<byteCount) }

    /// A copy of some of the bytes.
    /// - Parameter range: must lie within `0..<byteCount`.
    /// - Throws: as `bytes`.
    package func read(_ range: Range<Int>) throws(MediaFailure) -> [UInt8] {
        switch content {
        case .copied(let bytes): return range.count == bytes.count ? bytes : Array(bytes[range])
        case .sealed(let memory):
            guard let bytes = memory.read(range) else { throw .crashed }
            return bytes
        }
    }

    package static func == (one: MediaResult, other: MediaResult) -> Bool {
        guard one.byteCount == other.byteCount, let bytes = try? one.bytes(), let others = try? other.bytes() else { return false }
        return bytes == others
    }
}

/// Memory whose bytes nobody can change, and a descriptor of it that belongs to this object.
///
/// The server reads only memory that is sealed, and never maps it: a compromised worker could truncate unsealed memory while the server
/// reads it.
private final class SealedMemory: Sendable {
    let byteCount: Int
    private let descriptor: CInt

    init?(copyOf descriptor: CInt, byteCount: Int) {
        let copy = media_reopen_read_only(descriptor)
        guard copy >= 0 else { return nil }
        self.descriptor = copy
        self.byteCount = byteCount
    }

    deinit { _ = close(descriptor) }

    func read(_ range: Range<Int>) -> [UInt8]? { Self.read(descriptor, range) }

    static func byteCount(of descriptor: CInt) -> Int? {
        var status = stat()
        guard media_is_sealed(descriptor) != 0, fstat(descriptor, &status) == 0,
            (1...PictureLimits.variantByteCount).contains(Int(status.st_size))
        else { return nil }
        return Int(status.st_size)
    }

    static func read(_ descriptor: CInt, _ range: Range<Int>) -> [UInt8]? {
        var done = 0
        let bytes = [UInt8](unsafeUninitializedCapacity: range.count) { buffer, initialized in
            while done < range.count {
                let got = pread(descriptor, buffer.baseAddress! + done, range.count - done, off_t(range.lowerBound + done))
                if got < 0, errno == EINTR { continue }
                guard got > 0 else { break }
                done += got
            }
            initialized = done
        }
        return done == range.count ? bytes : nil
    }
}
