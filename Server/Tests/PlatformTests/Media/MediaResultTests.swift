import CMedia
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

    @Test("memory that is not sealed is no result")
    func unsealed() throws {
        let file = try MemoryFile([1, 2, 3])
        let made = MediaResult(sealed: file.descriptor)
        #expect(made == nil)
    }
}
