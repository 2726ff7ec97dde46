import Foundation
import TestKit
import Testing

@testable import KeepsakeKit

@Suite("KeepsakeKit's hash of a file")
struct ContentHashTests {
    /// Byte counts around the sizes of a block and of a piece, with the hashes that Python's hashlib computes of `bytes(count)`.
    private static let known: [(count: Int, hash: String)] = [
        (0, "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"),
        (3, "b361d0f9a938a2bb4fbdc9c21dc5a859788041b0040919d8a811c1888184f4df"),
        (55, "576a1bf8d4478657e6dc4af9398544765c2a92cde28478b019235cfed315fc09"),
        (56, "9b20501dfd1d99161c257950f3444f3e49230c351c5c8e0943ef369f85f5205d"),
        (63, "30b345906b493f06f69444b6521113511c242f30e29840462950035043682f1e"),
        (64, "d8bc63b4fc1156e5e7d95a418b9bf54cd3174bedbc2db40f74895349b229b3c0"),
        (65, "1ee23b0fbcaecc1aff4a9e8f1645f35ab2c8e13609cd73b68df8b5e3f63ce073"),
        (119, "7a6589821178918ca8d9edaba5abfc1e9b2669564f4469b66885379c1530b2c8"),
        (120, "655250427d56b1b0eeb8497d21428704273458a01772d6881b65c0abac0f8a98"),
        (128, "54c9eb041badfd7064645067b107661fed6113197ce2dd066ba69618abd3732f"),
        (262_143, "d6d89da97b662e058e9bc67a6dee0d3b738ff2f9e6fe89e3f86e2a033b132a4e"),
        (262_144, "23295ac6e56186bdc6715065c52588ed68859187befcff701de609c7841ab38f"),
        (262_145, "237ebaf00671d6b31ebcb346260336175852ffb3942f7d045424fa5bf1c2d202"),
        (600_000, "7cac6650e96f34a25a29c23dd13b570e3b26c096f7e92198e704b68d31ac4d57"),
    ]

    private static func bytes(_ count: Int) -> Data { Data((0..<count).map { UInt8(truncatingIfNeeded: $0 * 7 + $0 / 256) }) }

    @Test("it is the SHA-256 of the file's bytes in lower case, whatever the file's size")
    func files() async throws {
        let folder = try TemporaryFolder()
        let file = URL(filePath: folder.path + "/file")
        for (count, hash) in Self.known {
            try Self.bytes(count).write(to: file)
            #expect(try await MediaLibrary.sha256(of: file) == hash, "\(count) bytes")
        }
    }

    @Test("a file that does not exist is an error, and so is a cancelled task")
    func failures() async throws {
        let folder = try TemporaryFolder()
        let file = URL(filePath: folder.path + "/file")
        await #expect(throws: (any Error).self) { try await MediaLibrary.sha256(of: file) }
        try Self.bytes(3).write(to: file)
        let cancelled = Task {
            while !Task.isCancelled { await Task.yield() }
            return try await MediaLibrary.sha256(of: file)
        }
        cancelled.cancel()
        await #expect(throws: CancellationError.self) { try await cancelled.value }
    }

    // These are the examples of FIPS 180-4, and pieces that end anywhere in a block. On Apple's systems, only this test runs
    // `PortableHash`.
    @Test("the code for systems without CryptoKit gives the standard's hashes, however the bytes are cut")
    func portable() {
        let abc = "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"
        #expect(Self.portableHash(of: Data("abc".utf8), inPiecesOf: 3) == abc)
        for pieceByteCount in [1, 7, 63, 64, 65] {
            for (count, hash) in Self.known where count < 200 {
                #expect(Self.portableHash(of: Self.bytes(count), inPiecesOf: pieceByteCount) == hash, "\(count) bytes by \(pieceByteCount)")
            }
        }
    }

    private static func portableHash(of bytes: Data, inPiecesOf byteCount: Int) -> String {
        var hash = PortableHash()
        for start in stride(from: 0, to: bytes.count, by: byteCount) {
            hash.update(data: bytes[start..<min(start + byteCount, bytes.count)])
        }
        return hash.finalize().map { String(format: "%02x", $0) }.joined()
    }
}
