import Core
import NIOCore
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
