import Blobs
import HTTPServer
import NIOCore

/// A local file whose regions the kernel sends. NIO's handle expects to own its descriptor and to be used by one thread at a time. But the
/// descriptor belongs to the reader, which other responses may use. So each response has a handle of its own. Use a value on one event loop
/// only.
final class SentFile {
    let reader: any BlobReader
    private let handle: NIOFileHandle

    /// - Returns: `nil` if the bytes are not in a local file.
    init?(_ reader: any BlobReader) {
        guard let descriptor = reader.unsafeDescriptor else { return nil }
        self.reader = reader
        handle = NIOFileHandle(_deprecatedTakingOwnershipOfDescriptor: descriptor)
    }

    deinit { _ = try? handle.takeDescriptorOwnership() }

    /// The region is valid while this object is referenced.
    func region(_ range: Range<Int64>) -> FileRegion {
        FileRegion(fileHandle: handle, readerIndex: Int(range.lowerBound), endIndex: Int(range.upperBound))
    }
}

/// How many bytes of a file the kernel sends at a time. These bytes are not in the memory of the process, so they need no share of the
/// budgets. A slow client gets smaller regions. Otherwise the kernel might drop the rest of a region from the page cache before the client
/// takes it, and sending it would wait for the disk on the event loop.
struct RegionSize {
    private let most: Int
    private let least: Int
    private(set) var byteCount: Int
    /// Whether the next region has the largest size, as for a client that takes regions quickly.
    var isLargest: Bool { byteCount == most }

    /// - Returns: `nil` if the kernel cannot send files on this connection, because TLS encrypts them or HTTP/2 frames them.
    init?(_ connection: Connection?, _ limits: ChannelLimits) {
        guard let connection, !connection.isSecure, !connection.isHTTP2, limits.regionByteCount > 0 else { return nil }
        most = limits.regionByteCount
        least = min(most, 64 * 1_024)
        byteCount = min(most, 4 * least)
    }

    /// Records that a region has left, and adapts the size of the next one.
    mutating func left(after time: TimeAmount) {
        if time < AnswerWindow.quick {
            byteCount = min(byteCount * 2, most)
        } else if time > AnswerWindow.slow {
            byteCount = max(byteCount / 2, least)
        }
    }
}
