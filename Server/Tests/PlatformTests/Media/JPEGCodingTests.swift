import Core
import MediaFrames
import TestThreads
import Testing

@testable import MediaTools

/// JPEGs whose decoding takes far longer than their size and their number of pixels suggest.
@Suite("JPEGs that are slow to decode", .blocksThreads)
struct JPEGCodingTests {
    private static let strays: [[UInt8]] = [[], [0x00]]

    /// A grey picture (ITU T.81 Annex G). Each scan after the first one has no coefficients: it only says that every block
    /// is at its end.
    /// - Parameters:
    ///   - frame: the marker of the frame header; 0xC2 is progressive, with Huffman coding.
    ///   - stray: bytes before the frame header and after each scan, which libjpeg ignores.
    private static func picture(_ width: Int, _ height: Int, scans: Int, frame: UInt8 = 0xC2, stray: [UInt8] = []) -> [UInt8] {
        func big(_ value: Int) -> [UInt8] { [UInt8(value >> 8), UInt8(value & 255)] }
        func segment(_ marker: UInt8, _ body: [UInt8]) -> [UInt8] { [0xFF, marker] + big(body.count + 2) + body }
        let blockCount = (width + 7) / 8 * ((height + 7) / 8)
        var bytes: [UInt8] = [0xFF, 0xD8]
        bytes += segment(0xDB, [0] + [UInt8](repeating: 16, count: 64))
        bytes += stray
        bytes += segment(frame, [8] + big(height) + big(width) + [1, 1, 0x11, 0])
        // Two tables with one code of one bit each. The first code means no difference, the second the end of 16,384 to 32,767 bands.
        bytes += segment(0xC4, [0x00, 1] + [UInt8](repeating: 0, count: 15) + [0])
        bytes += segment(0xC4, [0x10, 1] + [UInt8](repeating: 0, count: 15) + [0xE0])
        bytes += segment(0xDA, [1, 1, 0, 0, 0, 0]) + [UInt8](repeating: 0, count: (blockCount + 7) / 8) + stray
        let scan = segment(0xDA, [1, 1, 0, 1, 63, 0x10]) + ends(ofBands: blockCount) + stray
        for _ in 1..<scans { bytes += scan }
        return bytes + [0xFF, 0xD9]
    }

    /// Ends all bands of `count` blocks. Each code has one bit, and the 14 bits after it add 16,383 to the 16,384 bands.
    private static func ends(ofBands count: Int) -> [UInt8] {
        var bits: [UInt8] = []
        for _ in 0...(count / 32_767) { bits += [0] + [UInt8](repeating: 1, count: 14) }
        while bits.count % 8 != 0 { bits.append(0) }
        return stride(from: 0, to: bits.count, by: 8).flatMap { at -> [UInt8] in
            let byte = bits[at..<at + 8].reduce(UInt8(0)) { $0 << 1 | $1 }
            return byte == 0xFF ? [0xFF, 0] : [byte]
        }
    }

    @Test("arithmetic coding is refused by the header, also behind a stray byte; the same picture with Huffman coding is decoded")
    func arithmetic() async throws {
        let frames: [UInt8] = [0xC9, 0xCA, 0xCB, 0xCD, 0xCE, 0xCF]
        let request = VariantRequest(width: 16, height: 16, format: .jpeg)
        try await WorkerFixture.run { workers in
            for stray in Self.strays {
                for frame in frames {
                    let bytes = Self.picture(64, 48, scans: 2, frame: frame, stray: stray)
                    let failure = try await workers.failure(bytes)
                    #expect(failure == .refused(.arithmeticCoding), "\(frame)")
                    await #expect(throws: MediaFailure.refused(.arithmeticCoding)) { _ = try await workers.variant(bytes, request) }
                }
            }
            let variant = try await workers.variant(Self.picture(64, 48, scans: 2), request)
            #expect((variant.width, variant.height) == (16, 12))
        }
    }

    @Test("more scans than the size allows, and more than a hundred, are refused by the header, also with stray bytes between them")
    func scans() async throws {
        // 24 megapixels.
        let cases = [(6_000, 4_000, 50, true), (6_000, 4_000, 51, false), (64, 48, 100, true), (64, 48, 101, false)]
        try await WorkerFixture.run { workers in
            for (width, height, scans, isAccepted) in cases {
                let expected: MediaFailure? = isAccepted ? nil : .refused(.tooManyScans)
                for stray in Self.strays {
                    let bytes = Self.picture(width, height, scans: scans, stray: stray)
                    let failure = try await workers.failure(bytes)
                    #expect(failure == expected, "\(scans) scans of \(width) by \(height)")
                }
            }
        }
    }

    @Test("a picture with many scans for its size is decoded as long work, and its requester's other pictures stay short work")
    func manyScans() async throws {
        let request = VariantRequest(width: 64, height: 64, format: .jpeg)
        try await WorkerFixture.run { workers in
            // The scans have 576 and 600 million pixels together. The worker refuses the second picture as short work.
            for (scans, count) in [(24, 1), (25, 2)] {
                let before = workers.taken
                let variant = try await workers.variant(Self.picture(6_000, 4_000, scans: scans), request)
                #expect(variant.width == 64 && workers.taken == before + count, "\(scans) scans")
            }
            #expect(!workers.slowWork.contains(.server, for: .variant(request), at: .now))
        }
    }

    @Test("a picture that takes longer than short work is decoded again as long work, and so are its account's other pictures")
    func slow() async throws {
        let request = VariantRequest(width: 64, height: 64, format: .jpeg)
        // Decoding this picture takes a tenth of a second or more.
        let slow = Self.picture(6_000, 4_000, scans: 12)
        let photo = try WorkerFixture.bytes("photo.jpg")
        try await WorkerFixture.run {
            $0.quickPictureTimeout = .milliseconds(10)
        } _: { workers in
            let network = Network(ipv4: 1)
            for (account, bytes, count) in [("ada", slow, 2), ("ada", slow, 1), ("ada", photo, 1), ("bob", slow, 2)] {
                let before = workers.taken
                let variant = try await Requester(account: account, network: network).run { try await workers.variant(bytes, request) }
                #expect(max(variant.width, variant.height) == 64 && workers.taken == before + count, "\(account)")
            }
            // An inspection decodes nothing, and the account's slow copies do not make it long work.
            let ada = Requester(account: "ada", network: network)
            #expect(workers.slowWork.contains(ada, for: .variant(request), at: .now))
            #expect(!workers.slowWork.contains(ada, for: .inspect, at: .now))
            let before = workers.taken
            _ = try await Requester(account: "eve", network: network).run { try await workers.inspect(slow) }
            #expect(workers.taken == before + 1)
        }
    }

    @Test("the owner of a slow picture is remembered only if it requested the copy itself; otherwise the picture and its requester are")
    func slowOwner() async throws {
        let request = VariantRequest(width: 64, height: 64, format: .jpeg)
        let slow = Self.picture(6_000, 4_000, scans: 12)
        let network = Network(ipv4: 1)
        let (viewer, eve) = (Requester(account: nil, network: network), Requester(account: "eve", network: network))
        let (ada, bob) = (Requester(account: "ada", network: network), Requester(account: "bob", network: network))
        try await WorkerFixture.run {
            $0.quickPictureTimeout = .milliseconds(10)
        } _: { workers in
            func copy(_ name: String, of owner: String, for requester: Requester) async throws -> Int {
                let before = workers.taken
                _ = try await requester.run { try await workers.variant(slow, request, of: OwnedFile(owner: owner, name: name)) }
                return workers.taken - before
            }
            // A stranger with a link, and another account. A copy as long work is one job, and a repeated one two.
            var counts: [Int] = []
            counts.append(try await copy("a1", of: "ada", for: viewer))
            counts.append(try await copy("a1", of: "ada", for: eve))
            counts.append(try await copy("a2", of: "ada", for: viewer))
            counts.append(try await copy("a3", of: "ada", for: eve))
            #expect(counts == [2, 1, 1, 2])
            for requester in [viewer, eve, ada] { #expect(!workers.slowWork.contains(requester, for: .variant(request), at: .now)) }
            let first = try await copy("b1", of: "bob", for: bob)
            let second = try await copy("b2", of: "bob", for: viewer)
            #expect(first == 2 && second == 1 && workers.slowWork.contains(bob, for: .variant(request), at: .now))
        }
    }
}
