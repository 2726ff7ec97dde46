import Foundation
import NIOCore
import Synchronization
import Testing

@testable import Outbound

@Suite("Bodies that are sent in pieces")
struct PiecewiseBodyTests {
    private func bytes(_ count: Int) -> [UInt8] { (0..<count).map { UInt8(truncatingIfNeeded: $0 &* 31) } }

    @Test("the pieces are the whole body, as long as announced, and each part is released with its last piece")
    func pieces() async throws {
        // The last file is sent in several pieces, and its base64 ends with padding.
        let files = [1, 2, 3, 24_576, 80_001].map(bytes)
        var parts: [PiecewiseBody.Part] = [.plain([])]
        var whole = Data()
        for file in files {
            parts += [.plain(Array("<".utf8)), .base64(file), .plain(file)]
            whole += Data("<".utf8)
            whole += Data(file).base64EncodedData()
            whole += Data(file)
        }
        let body = PiecewiseBody(parts)
        #expect(body.byteCount == whole.count)
        var sent = Data()
        var held = [body.heldByteCount]
        while let piece = try await body.next() {
            #expect(1...32_768 ~= piece.readableBytes)
            sent += Data(piece.readableBytesView)
            held.append(body.heldByteCount)
        }
        #expect(sent == whole)
        #expect(held.last == 0 && held == held.sorted(by: >) && Set(held).count == parts.count)
    }

    private final class Count: Sendable {
        let value = Mutex(0)
    }

    @Test("the end is reported once, and a body that was dropped holds nothing and ends with an error")
    func ends() async throws {
        let body = PiecewiseBody([.base64(bytes(5))])
        let ends = Count()
        body.whenSent { ends.value.withLock { $0 += 1 } }
        let first = try await body.next()
        #expect(first != nil && ends.value.withLock { $0 } == 0)
        let rest = [try await body.next(), try await body.next()]
        #expect(rest == [nil, nil] && ends.value.withLock { $0 } == 1)
        let dropped = PiecewiseBody([.plain(bytes(50_000))])
        let piece = try await dropped.next()
        #expect(piece != nil && dropped.heldByteCount == 50_000)
        dropped.drop()
        #expect(dropped.heldByteCount == 0)
        await #expect(throws: CancellationError.self) { _ = try await dropped.next() }
    }

    @Test("files stand in JSON as base64, whatever the other texts are")
    func json() async throws {
        let files = (0..<12).map { bytes(100 * $0) }
        var upload = JSONUpload()
        let texts = files.map { upload.add($0) }
        let body = try upload.body([
            "text": "keepsake- \"quotes\" / \u{1F30A}", "whole": texts[0], "list": texts[1...].map { "data:image/jpeg;base64,\($0)" },
        ])
        #expect(body.heldByteCount >= files.reduce(0) { $0 + $1.count })
        var sent = Data()
        while let piece = try await body.next() { sent += Data(piece.readableBytesView) }
        #expect(sent.count == body.byteCount)
        let json = try #require(try JSONSerialization.jsonObject(with: sent) as? [String: Any])
        #expect(json["text"] as? String == "keepsake- \"quotes\" / \u{1F30A}")
        let found = [json["whole"] as? String ?? "?"] + (json["list"] as? [String] ?? [])
        #expect(found[0] == Data(files[0]).base64EncodedString())
        #expect(found[1...].elementsEqual(files[1...].map { "data:image/jpeg;base64," + Data($0).base64EncodedString() }))
    }
}
