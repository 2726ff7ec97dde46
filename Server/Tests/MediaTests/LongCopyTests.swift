import Blobs
import Core
import KeepsakeWire
import MediaTools
import Testing

@testable import Media

@Suite("Copies that take seconds")
struct LongCopyTests {
    private static func asset(_ type: String, width: Int, height: Int) -> Asset {
        Asset(
            id: "a", owner: "ada", blob: BlobKey(entropy: .system), name: "x", type: type, sha256: "x", byteCount: 1, width: width,
            height: height, category: "general", tags: [], createdAt: Timestamp(seconds: 1))
    }

    @Test("AVIF, very large pictures and films use the files of long work; other copies do not")
    func classes() throws {
        func spec(_ format: String) throws -> CopySpec {
            .smaller(try #require(try VariantSpec(FileInput(userId: "ada", fileId: "a", w: 256, format: format), accept: nil)))
        }
        let photo = Self.asset("image/jpeg", width: 4_000, height: 3_000)
        let large = Self.asset("image/jpeg", width: 8_000, height: 6_000)
        let film = Self.asset("video/mp4", width: 1_920, height: 1_080)
        let (jpeg, webp, avif) = (try spec("jpeg"), try spec("webp"), try spec("avif"))
        #expect([jpeg, webp, avif, .stripped].map { CopyEncoder.isLong(photo, $0) } == [false, false, true, false])
        #expect([jpeg, webp, avif, .stripped].map { CopyEncoder.isLong(large, $0) } == [true, true, true, true])
        #expect(CopyEncoder.isLong(film, jpeg))
    }

    @Test("the largest size of a copy follows from its pixels; whole pictures may be large; a film's boxes do not limit its copies")
    func sizes() throws {
        func most(_ asset: Asset, _ w: Int?, _ h: Int? = nil, fit: String? = nil) throws -> Int {
            CopyEncoder.mostByteCount(
                asset, .smaller(try #require(try VariantSpec(FileInput(userId: "ada", fileId: "a", w: w, h: h, fit: fit), accept: nil))))
        }
        let photo = Self.asset("image/jpeg", width: 4_000, height: 3_000)
        #expect(try most(photo, 256) == 2 * 256 * 192)
        #expect(try most(photo, 1_024) < MediaResult.copiedByteCount)
        #expect(try most(photo, 256, 1_024, fit: "cover") == 2 * 256 * 1_024)
        #expect(try most(photo, 2_048) == 2 * 2_048 * 1_536)
        #expect(CopyEncoder.mostByteCount(photo, .stripped) == 2 * 4_000 * 3_000)
        #expect(CopyEncoder.mostByteCount(Self.asset("image/jpeg", width: 0, height: 0), .stripped) == Int.max)
        let film = Self.asset("video/mp4", width: 32, height: 32)
        #expect(try most(film, 512) == MediaResult.copiedByteCount)
        #expect(try most(film, 2_048) == 2 * 2_048 * 2_048)
    }
}
