import Blobs
import Core
import Logging
import NIOCore
import NIOPosix
import TestKit
import TestThreads
import Testing

@testable import S3Blobs

@Suite("Parts that the object store refuses before it has read them", .blocksThreads)
struct S3RefusedPartTests {
    private struct Released {
        weak var file: PartFile?
    }

    /// Sends a part that is larger than the socket's buffers.
    private func sendPart(_ client: S3Client, in folder: String) async throws -> Released {
        let file = try PartFile(in: folder, entropy: .system, turns: DiskTurns(.singleton))
        let bytes = [UInt8](repeating: 7, count: 1 << 20)
        for _ in 0..<16 { try bytes.withUnsafeBytes { try file.append($0) } }
        let body = S3Body.file(file, byteCount: file.byteCount, sha256: file.sha256)
        let error = await #expect(throws: S3Error.self) {
            _ = try await client.uploadPart("name", "upload", number: 1, body)
        }
        // The body of the response is read to its end before the file is released.
        #expect(error?.status == 503 && error?.code == "SlowDown")
        return Released(file: file)
    }

    @Test("The file of a part is released after the last attempt, although the HTTP client keeps each request")
    func released() async throws {
        let server = try RefusingServer(status: "503 Slow Down", body: "<Error><Code>SlowDown</Code></Error>")
        let folder = try TemporaryFolder()
        let attempts = Guarded(0)
        var pacing = S3Client.Pacing()
        (pacing.attempts, pacing.first) = (2, .milliseconds(1))
        let client = S3Client(
            try CephService.address(port: server.port), CephService.credentials, clock: .system, pacing: pacing, resolving: [:],
            logger: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() },
            observe: { observation in attempts.withLock { $0 += observation.isBody ? 0 : 1 } })
        let released = try await sendPart(client, in: folder.path)
        #expect(attempts.value == 2)
        for _ in 0..<400 where released.file != nil { try await Task.sleep(for: .milliseconds(25)) }
        #expect(released.file == nil)
        await client.close()
        withExtendedLifetime(server) {}
    }

    @Test("The pieces of a part are the whole part, and a body that is released before it was sent ends with an error")
    func pieces() async throws {
        let folder = try TemporaryFolder()
        let file = try PartFile(in: folder.path, entropy: .system, turns: DiskTurns(.singleton))
        let content = BlobStoreSuite.bytes(2 * PartFile.Body.pieceByteCount + 1)
        try content.withUnsafeBytes { try file.append($0) }
        var (sent, sizes): ([UInt8], [Int]) = ([], [])
        for try await piece in file.body(byteCount: content.count) {
            sent += Array(piece.readableBytesView)
            sizes.append(piece.readableBytes)
        }
        #expect(sent == content && sizes == [65_536, 65_536, 1])
        // If the body ended without an error, a store could take the beginning of a part for the whole part.
        await #expect(throws: CancellationError.self) { _ = try await Self.secondPiece(file.body(byteCount: content.count)) }
        let afterTheLast = try await Self.secondPiece(file.body(byteCount: 1))
        #expect(afterTheLast == nil)
    }

    /// The second piece of a body that is released after its first piece.
    private static func secondPiece(_ body: PartFile.Body) async throws -> ByteBuffer? {
        var iterator = body.makeAsyncIterator()
        _ = try await iterator.next()
        body.release()
        return try await iterator.next()
    }
}
