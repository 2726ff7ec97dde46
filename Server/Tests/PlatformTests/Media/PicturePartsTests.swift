import Foundation
import MediaFrames
import MediaTools
import TestThreads
import Testing

/// Small pictures whose headers take the libraries seconds, or whose decoding takes far longer than their size suggests.
@Suite("Pictures of many parts", .blocksThreads)
struct PicturePartsTests {
    private static func big(_ value: Int, _ count: Int) -> [UInt8] {
        (0..<count).reversed().map { UInt8(truncatingIfNeeded: value >> (8 * $0)) }
    }

    /// A picture with chunks after its header. Their checksums may be wrong, because the worker counts the chunks before anything checks
    /// them.
    private static func png(_ name: String, _ body: [UInt8], count: Int) throws -> [UInt8] {
        let palette = try WorkerFixture.bytes("palette.png")
        let chunk = big(body.count, 4) + Array(name.utf8) + body + [0, 0, 0, 0]
        var picture = Array(palette[..<33])
        for _ in 0..<count { picture += chunk }
        return picture + palette[33...]
    }

    @Test("compressed texts and profiles of a PNG are counted; other texts are not")
    func chunks() async throws {
        let compressed: [UInt8] = [0x6B, 0, 1, 0, 0, 0]
        let plain: [UInt8] = [0x6B, 0, 0, 0, 0, 0]
        let cases: [(name: String, body: [UInt8], count: Int, isRefused: Bool)] = [
            ("zTXt", compressed, 16, false), ("zTXt", compressed, 17, true), ("iTXt", compressed, 17, true), ("iTXt", plain, 17, false),
            ("tEXt", compressed, 17, false), ("iCCP", compressed, 17, true), ("zTXt", [UInt8](repeating: 0, count: 4 << 20), 1, false),
            ("zTXt", [UInt8](repeating: 0, count: 4 << 20 | 1), 1, true),
        ]
        try await WorkerFixture.run { workers in
            for (name, body, count, isRefused) in cases {
                let failure = try await workers.failure(Self.png(name, body, count: count))
                #expect((failure == .refused(.tooManyParts)) == isRefused, "\(count) of \(name): \(String(describing: failure))")
            }
        }
    }

    @Test("a JPEG of a thousand segments is read, and one more is refused")
    func segments() async throws {
        let photo = try WorkerFixture.bytes("baseline.jpg")
        // The picture's own segments are JFIF, two tables of quantization, the frame, four tables of codes and the scan.
        let cases: [(count: Int, failure: MediaFailure?)] = [(1_000 - 9, nil), (1_001 - 9, .refused(.tooManyParts))]
        try await WorkerFixture.run { workers in
            for (count, expected) in cases {
                var picture = Array(photo[..<2])
                for _ in 0..<count { picture += [0xFF, 0xE1, 0, 2] }
                picture += photo[2...]
                let failure = try await workers.failure(picture)
                #expect(failure == expected, "\(count) more segments")
            }
        }
    }

    /// A JPEG with an EXIF block of `count` entries for the same XMP packet of 50,000 letters.
    private static func sharedText(_ count: Int) throws -> [UInt8] {
        func little(_ value: Int, _ count: Int) -> [UInt8] { big(value, count).reversed() }
        let start = 8 + 2 + 12 * count + 4
        var block = Array("Exif\0\0II*\0".utf8)
        block += little(8, 4)
        block += little(count, 2)
        for _ in 0..<count {
            for (value, byteCount) in [(0x02BC, 2), (1, 2), (8_000, 4), (start, 4)] { block += little(value, byteCount) }
        }
        block += little(0, 4)
        block += [UInt8](repeating: UInt8(ascii: "l"), count: 50_000)
        let photo = try WorkerFixture.bytes("baseline.jpg")
        var picture = Array(photo[..<2])
        picture += [0xFF, 0xE1]
        picture += big(block.count + 2, 2)
        picture += block
        picture += photo[2...]
        return picture
    }

    @Test("a text of an EXIF block is searched once, and a block of which many entries name it counts as one with a position")
    func sharedTexts() async throws {
        try await WorkerFixture.run { workers in
            for (count, mayHavePosition) in [(1, false), (2, true), (300, true)] {
                let facts = try await workers.inspect(Self.sharedText(count))
                #expect(facts.mayHavePosition == mayHavePosition, "\(count) entries")
            }
        }
    }

    /// `libheif.heic` with `number` at an offset in the box `type`.
    private static func heic(_ type: String, at offset: Int, _ number: [UInt8]) throws -> [UInt8] {
        var picture = try WorkerFixture.bytes("libheif.heic")
        let box = try #require(Data(picture).range(of: Data(type.utf8))).upperBound + offset
        picture.replaceSubrange(box..<box + number.count, with: number)
        return picture
    }

    @Test("a HEIC that declares more than 2,000 items, or entries of a list about them, is refused before libheif reads it")
    func items() async throws {
        let lists = [("iinf", 4, 2), ("iloc", 6, 2), ("ipma", 4, 4)]
        try await WorkerFixture.run { workers in
            for (type, offset, width) in lists {
                for (count, isRefused) in [(2_000, false), (2_001, true)] {
                    let failure = try await workers.failure(Self.heic(type, at: offset, Self.big(count, width)))
                    #expect((failure == .refused(.tooManyParts)) == isRefused, "\(count) in \(type): \(String(describing: failure))")
                }
            }
            let references = (0..<2_000).flatMap { Self.derived(10 + $0, from: [1]) }
            let failure = try await workers.failure(Self.heic(references: references))
            #expect(failure == .refused(.tooManyParts), "with the picture's own, 2,001 references")
        }
    }

    /// `libheif.heic` with a second list of references, which libheif does not use.
    private static func heic(references: [UInt8]) throws -> [UInt8] {
        var picture = try WorkerFixture.bytes("libheif.heic")
        let list = big(12 + references.count, 4) + Array("iref".utf8) + [0, 0, 0, 0] + references
        // Inserts the list at the end of `meta`. Then corrects the length of `meta` and the offset at which the pixels begin.
        picture.insert(contentsOf: list, at: 457)
        picture.replaceSubrange(28..<32, with: big(429 + list.count, 4))
        let location = try #require(Data(picture).range(of: Data("iloc".utf8))).upperBound + 20
        picture.replaceSubrange(location..<location + 4, with: big(list.count, 4))
        return picture
    }

    private static func derived(_ item: Int, from parts: [Int]) -> [UInt8] {
        big(12 + 2 * parts.count, 4) + Array("dimg".utf8) + big(item, 2) + big(parts.count, 2) + parts.flatMap { big($0, 2) }
    }

    @Test("a picture of more than 500 tiles is decoded as long work, also when they are tiles of tiles")
    func tiles() async throws {
        // Four inner pictures consist of the same 40 tiles. Four outer pictures consist of the four inner ones, so each has 160 tiles.
        let inner = (20..<24).flatMap { Self.derived($0, from: Array(100..<140)) }
        let outer = (30..<34).flatMap { Self.derived($0, from: Array(20..<24)) }
        let cases: [(references: [UInt8], count: Int)] = [
            // The picture has one reference of its own, so these are 500 and 501 references.
            (Self.derived(9, from: Array(100..<599)), 1), (Self.derived(9, from: Array(100..<600)), 2),
            (inner + outer + Self.derived(9, from: Array(30..<33)), 1), (inner + outer + Self.derived(9, from: Array(30..<34)), 2),
            // This picture is a part of itself.
            (Self.derived(9, from: [9]), 2),
        ]
        let request = VariantRequest(width: 16, height: 16, format: .jpeg)
        try await WorkerFixture.run { workers in
            for (index, (references, count)) in cases.enumerated() {
                let before = workers.taken
                let variant = try await workers.variant(Self.heic(references: references), request)
                #expect(max(variant.width, variant.height) == 16 && workers.taken == before + count, "case \(index)")
            }
        }
    }

    /// A picture of one colour, of four components, in which each block takes two bits (ITU T.81 Annex F).
    private static func cmyk(_ width: Int, _ height: Int) -> [UInt8] {
        func segment(_ marker: UInt8, _ body: [UInt8]) -> [UInt8] { [0xFF, marker] + big(body.count + 2, 2) + body }
        let blockCount = (width + 7) / 8 * ((height + 7) / 8) * 4
        var bytes: [UInt8] = [0xFF, 0xD8]
        bytes += segment(0xEE, Array("Adobe".utf8) + [0, 100, 0, 0, 0, 0, 0])
        bytes += segment(0xDB, [0] + [UInt8](repeating: 16, count: 64))
        let colours: [UInt8] = [1, 0x11, 0, 2, 0x11, 0, 3, 0x11, 0, 4, 0x11, 0]
        bytes += segment(0xC0, [8] + big(height, 2) + big(width, 2) + [4] + colours)
        for table: UInt8 in [0x00, 0x10] { bytes += segment(0xC4, [table, 1] + [UInt8](repeating: 0, count: 16)) }
        bytes += segment(0xDA, [4, 1, 0, 2, 0, 3, 0, 4, 0, 0, 63, 0])
        return bytes + [UInt8](repeating: 0, count: (blockCount * 2 + 7) / 8) + [0xFF, 0xD9]
    }

    @Test("a JPEG of four colours above three megapixels is decoded as long work")
    func colours() async throws {
        let request = VariantRequest(width: 16, height: 16, format: .jpeg)
        try await WorkerFixture.run { workers in
            for (height, count) in [(1_500, 1), (1_501, 2)] {
                let before = workers.taken
                let variant = try await workers.variant(Self.cmyk(2_000, height), request)
                #expect(variant.width == 16 && workers.taken == before + count, "\(height) rows")
            }
        }
    }
}
