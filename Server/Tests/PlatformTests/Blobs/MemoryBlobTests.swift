import Blobs
import Core
import NIOCore
import NIOPosix
import Testing

@Suite("Blobs in memory")
struct MemoryBlobTests {
    private let bytes = ByteBuffer(bytes: (0..<100).map { UInt8($0) })

    @Test("its bytes are read in any way, within its bounds")
    func reading() async throws {
        let blob = MemoryBlob(bytes, key: BlobKey(entropy: .system), share: nil)
        #expect(blob.byteCount == 100)
        #expect(blob.sha256 == "bce0aff19cf5aa6a7469a30d61d04e4376e4bbf6381052ee9e7f33925c954d52")
        var pieces: [ByteBuffer] = []
        for try await piece in blob.chunks(in: 10..<200, chunkSize: 40) { pieces.append(piece) }
        #expect(pieces.map(\.readableBytes) == [40, 40, 10])
        #expect(pieces.flatMap { Array($0.readableBytesView) } == Array(10..<100))
        var buffer = ByteBuffer()
        #expect(blob.readCached(95..<100, into: &buffer) && Array(buffer.readableBytesView) == Array(95..<100))
        #expect(!blob.readCached(100..<100, into: &buffer))
        let loop = MultiThreadedEventLoopGroup.singleton.any()
        #expect(try await blob.read(3..<5, on: loop).get() == ByteBuffer(bytes: [3, 4]))
        await #expect(throws: BlobError.self) { try await blob.read(90..<101, on: loop).get() }
        #expect(try blob.duplicateDescriptor() == nil)
    }

    @Test("its part of the memory budget is free again when nobody reads it any more")
    func share() throws {
        let budget = SharedBudget(.init(total: 100, perAccount: 100, perNetwork: 100))
        var blob: MemoryBlob? = MemoryBlob(bytes, key: BlobKey(entropy: .system), share: try budget.share(100, of: .server))
        var reader: (any BlobReader)? = blob
        blob = nil
        #expect(budget.held == 100 && reader?.byteCount == 100)
        reader = nil
        #expect(budget.held == 0)
    }
}
