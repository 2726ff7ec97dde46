import Blobs
import Core
import Hummingbird
import NIOCore
import Synchronization
import TestKit
import TestThreads
import Testing

@testable import Web

@Suite("Files that are not in the page cache", .serialized, .blocksThreads)
struct ColdFileTests {
    private final class Readers: Sendable {
        private let list = Mutex<[Requester]>([])
        var requesters: [Requester] { list.withLock { $0 } }
        func add(_ requester: Requester) { list.withLock { $0.append(requester) } }
    }

    /// Notes for whom it is read.
    private struct ColdBlob: BlobReader {
        let blob: MemoryBlob
        let readers: Readers

        var key: BlobKey { blob.key }
        var byteCount: Int64 { blob.byteCount }
        var unsafeDescriptor: CInt? { nil }

        func chunks(in range: Range<Int64>, chunkSize: Int) -> BlobChunks { blob.chunks(in: range, chunkSize: chunkSize) }
        func readCached(_ range: Range<Int64>, into buffer: inout ByteBuffer) -> Bool { false }
        func isCached(_ range: Range<Int64>) -> Bool { false }
        func duplicateDescriptor() throws -> CInt? { nil }

        func read(_ range: Range<Int64>, on eventLoop: any EventLoop) -> EventLoopFuture<ByteBuffer> {
            readers.add(.current)
            return blob.read(range, on: eventLoop)
        }

        func cache(_ range: Range<Int64>, on eventLoop: any EventLoop) -> EventLoopFuture<Void> { blob.cache(range, on: eventLoop) }
    }

    @Test("each read of a response counts for the client's network, also on an event loop")
    func requester() async throws {
        let content = ByteBuffer(repeating: 7, count: 1_000_000)
        let readers = Readers()
        let blob = ColdBlob(blob: MemoryBlob(content, key: BlobKey(entropy: .system), share: nil), readers: readers)
        try await ChannelServer.run(routes: { router in
            router.get("/file") { request, context in
                let file = ServedFile(
                    byteCount: blob.byteCount, contentType: "video/mp4", fileName: "film.mp4", sha256: blob.blob.sha256,
                    modifiedAt: Timestamp(seconds: 1)
                ) { blob }
                return try await file.response(to: request, context)
            }
        }) { server in
            let client = try RawConnection(port: server.port)
            try client.send("GET /file HTTP/1.1\r\nHost: a\r\n\r\n")
            #expect(try client.answer().body.count == 1_000_000)
        }
        #expect(Set(readers.requesters) == [Requester(account: nil, network: Network(ipv4: 0x7F00_0001))])
    }
}
