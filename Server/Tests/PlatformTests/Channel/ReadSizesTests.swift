import Core
import NIOCore
import NIOPosix
import Testing

@testable import HTTPServer

@Suite("Sizes of reads")
struct ReadSizesTests {
    @Test("reads grow to the largest size, and NIO keeps only a buffer of the smallest")
    func kept() {
        var pool = NIOPooledRecvBufferAllocator(capacity: 1, recvAllocator: ReadSizes(most: 262_144))
        var (buffer, byteCount, most) = (ByteBuffer(), 0, 0)
        for round in 0..<40 {
            (buffer, byteCount) = pool.buffer(allocator: ByteBufferAllocator()) { buffer in
                // The first 20 reads fill the buffer, and the later ones are short.
                buffer.writeRepeatingByte(1, count: round < 20 ? buffer.writableBytes : 100)
            }
            pool.record(actualReadBytes: byteCount)
            most = max(most, byteCount)
            let isOnlyOwner = buffer.modifyIfUniquelyOwned { _ in true } ?? false
            let capacity = buffer.storageCapacity
            #expect(isOnlyOwner || capacity <= ReadSizes.keptByteCount, "NIO keeps a buffer of \(capacity) bytes after \(round) reads")
            buffer = ByteBuffer()
        }
        #expect(most == 262_144)
    }

    @Test("a large read uses the buffer of the last one, as soon as nobody else refers to its bytes")
    func reused() async throws {
        let eventLoop = MultiThreadedEventLoopGroup.singleton.next()
        try await eventLoop.submit {
            let last = LastRead(eventLoop)
            let sizes = ReadSizes.ofFastBody(ChannelLimits(), last)
            func address(_ buffer: ByteBuffer) -> UInt { buffer.withVeryUnsafeBytes { UInt(bitPattern: $0.baseAddress) } }
            var first = sizes.buffer(allocator: ByteBufferAllocator())
            first.writeString("bytes of a body")
            let place = address(first)
            last.keep(first)
            // The handler has not taken the bytes yet.
            let second = sizes.buffer(allocator: ByteBufferAllocator())
            #expect(address(second) != place && first.readableBytes == 15)
            last.keep(first)
            first = ByteBuffer()
            let third = sizes.buffer(allocator: ByteBufferAllocator())
            #expect(address(third) == place && third.readableBytes == 0 && third.writableBytes >= sizes.byteCount)
            last.keep(third)
            last.drop()
            #expect(last.take(capacity: 1) == nil)
        }.get()
    }

    @Test("where handlers keep the largest buffer, reads grow only after many full ones, and within a budget")
    func budget() {
        let budget = SharedBudget(.init(total: 200_000, perAccount: .max, perNetwork: .max))
        func make() -> ReadSizes {
            ReadSizes(
                most: 16_384, larger: ReadSizes.Larger(byteCount: 65_536, cost: 131_072, budget: budget, requester: .server))
        }
        /// - Returns: the size of the reads after `count` full reads.
        func read(_ count: Int, _ sizes: inout ReadSizes) -> Int {
            for _ in 0..<count { _ = sizes.record(actualReadBytes: sizes.byteCount) }
            return sizes.byteCount
        }
        var (first, second) = (make(), make())
        // It takes three full reads to grow to 16,384 bytes.
        let atFirst = read(3 + ReadSizes.fullReadCount - 1, &first)
        #expect(atFirst == 16_384 && budget.held == 0)
        let ofLong = read(10, &first)
        #expect(ofLong == 65_536 && budget.held == 131_072)
        let ofSecond = read(100, &second)
        #expect(ofSecond == 16_384 && budget.held == 131_072)
        // The first connection closes.
        first = make()
        #expect(budget.held == 0)
        let later = read(10, &second)
        #expect(later == 65_536)
    }
}
