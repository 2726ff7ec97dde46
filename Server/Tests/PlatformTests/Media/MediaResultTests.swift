import CMedia
import Synchronization
import Testing

@testable import MediaTools

#if canImport(Glibc)
    import Glibc
#elseif canImport(Darwin)
    import Darwin
#endif

@Suite("Results of media workers")
struct MediaResultTests {
    @Test("a large result stays in sealed memory and is read in pieces; a small one is copied")
    func pieces() throws {
        let most = MediaResult.copiedByteCount
        for byteCount in [1, most, most + 1] {
            let bytes = [UInt8](repeating: 7, count: byteCount - 1) + [9]
            let memory = bytes.withUnsafeBytes { media_sealed_memory($0.baseAddress!, $0.count) }
            try #require(memory >= 0)
            let made = MediaResult(sealed: memory)
            // The result has a descriptor of its own.
            close(memory)
            let result = try #require(made)
            #expect(result.byteCount == byteCount && result.isSealed == (byteCount > most))
            #expect(try result.bytes() == bytes)
            #expect(try result.read(byteCount - 1..<byteCount) == [9])
        }
    }

    @Test("a result reports once that nobody refers to it any more")
    func token() {
        let count = Counter()
        var results = [MediaResult([1]).counted(by: ResultToken { count.add() })]
        results.append(results[0])
        results.removeFirst()
        #expect(count.value == 0)
        results.removeAll()
        #expect(count.value == 1)
    }

    private final class Counter: Sendable {
        private let state = Mutex(0)
        var value: Int { state.withLock { $0 } }
        func add() { state.withLock { $0 += 1 } }
    }

    @Test("memory that is not sealed is no result")
    func unsealed() throws {
        let file = try MemoryFile([1, 2, 3])
        let made = MediaResult(sealed: file.descriptor)
        #expect(made == nil)
    }
}
