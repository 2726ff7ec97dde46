import Core
package import NIOCore

/// How many bytes of a connection are read at a time: few at first, and twice as many whenever a read fills its buffer.
///
/// NIO keeps the buffer of a read until the connection closes, so that the next read can use it again. An idle connection would keep as
/// much as its largest read. But when this allocator returns no size, and says that the next buffer may be larger, NIO allocates a buffer
/// for one read and does not keep it. So only buffers of the smallest size are kept.
package struct ReadSizes: RecvByteBufferAllocator {
    /// The smallest size, in bytes: what NIO keeps for each connection.
    package static let keptByteCount = 2_048
    /// After this many reads of the maximum size, a body counts as long, and reads may grow to `Larger.byteCount`.
    static let fullReadCount = 16

    /// Larger reads for a connection whose handlers keep a buffer of its largest read. This memory counts against a budget until the
    /// connection closes.
    struct Larger {
        let byteCount: Int
        let cost: Int
        let budget: SharedBudget
        let requester: Requester
    }

    private var sizes: AdaptiveRecvByteBufferAllocator
    private let larger: Larger?
    private let last: LastRead?
    private var fullReads = 0
    private var share: SharedBudget.Share?

    /// - Parameters:
    ///   - initial: bytes of the first read; 2,048 or more.
    ///   - most: the most bytes of a read; `initial` or more.
    package init(from initial: Int = ReadSizes.keptByteCount, most: Int) { self.init(from: initial, most: most, last: nil) }

    private init(from initial: Int, most: Int, last: LastRead?) {
        sizes = Self.sizes(from: initial, most)
        larger = nil
        self.last = last
    }

    init(most: Int, larger: Larger?) {
        sizes = Self.sizes(from: Self.keptByteCount, most)
        self.larger = larger
        last = nil
    }

    /// The sizes while no body arrives over HTTP/1.1. Reads stay small, because they may bring requests that the client sends ahead, which
    /// have to wait.
    static func ofHeads(_ limits: ChannelLimits) -> ReadSizes { ReadSizes(most: min(limits.heldByteCount, limits.readByteCount)) }

    /// The sizes for a body that is longer than the largest read of `ofHeads`, until its handler takes bytes of it. Some handlers
    /// have to wait before they do, and the bytes of large reads would stay in memory.
    static func ofUntakenBody(_ limits: ChannelLimits) -> ReadSizes {
        let byteCount = min(limits.heldByteCount, limits.readByteCount)
        return ReadSizes(from: byteCount, most: byteCount)
    }

    /// The sizes for such a body once its handler takes it.
    static func ofBody(_ limits: ChannelLimits) -> ReadSizes {
        ReadSizes(from: min(limits.heldByteCount, limits.readByteCount), most: min(limits.unreadByteCount, limits.readByteCount))
    }

    /// The sizes for such a body that arrives quickly, while the connection has a share of the budget for large reads.
    static func ofFastBody(_ limits: ChannelLimits, _ last: LastRead) -> ReadSizes {
        ReadSizes(from: min(2 * limits.unreadByteCount, limits.readByteCount), most: limits.readByteCount, last: last)
    }

    private static func sizes(from initial: Int, _ most: Int) -> AdaptiveRecvByteBufferAllocator {
        AdaptiveRecvByteBufferAllocator(minimum: keptByteCount, initial: initial, maximum: most)
    }

    /// The sizes that a channel uses now; `nil` if it has others.
    static func ofChannel(_ channel: (any Channel)?) -> ReadSizes? {
        (try? channel?.syncOptions?.getOption(.recvAllocator)) as? ReadSizes
    }

    /// The most bytes that a read may bring now.
    var mostByteCount: Int { sizes.maximum }

    /// The size of the next read, in bytes.
    var byteCount: Int { sizes.nextBufferSize() ?? sizes.maximum }

    package func buffer(allocator: ByteBufferAllocator) -> ByteBuffer {
        last?.take(capacity: byteCount) ?? sizes.buffer(allocator: allocator)
    }

    package func nextBufferSize() -> Int? { byteCount <= Self.keptByteCount ? byteCount : nil }

    package mutating func record(actualReadBytes: Int) -> Bool {
        _ = sizes.record(actualReadBytes: actualReadBytes)
        if let larger, share == nil, actualReadBytes >= sizes.maximum {
            fullReads += 1
            if fullReads >= Self.fullReadCount, let taken = try? larger.budget.share(larger.cost, of: larger.requester) {
                share = taken
                sizes = Self.sizes(from: sizes.maximum, larger.byteCount)
            }
        }
        return byteCount > Self.keptByteCount
    }
}
