import Media
import TestKit
import Testing

@Suite("Hostile bytes")
struct SnifferHostileTests {
    struct Liar: CustomTestStringConvertible, Sendable {
        let testDescription: String
        let bytes: [UInt8]

        init(_ description: String, _ parts: [UInt8]...) {
            testDescription = description
            bytes = parts.flatMap { $0 }
        }
    }

    private static func text(_ text: String) -> [UInt8] { Array(text.utf8) }
    private static let page = text("<html><script>alert(1)</script></html>")
    private static let longPage = Array(repeatElement(page, count: 3000).joined())
    private static let pngStart: [UInt8] = [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A]
    /// An image of 1 × 1 pixels, 8-bit grayscale.
    private static let ihdr: [UInt8] = [0, 0, 0, 13] + text("IHDR") + [0, 0, 0, 1, 0, 0, 0, 1, 8, 0, 0, 0, 0, 0x3A, 0x7E, 0x9B, 0x55]

    static let liars: [Liar] = [
        Liar("nothing"),
        Liar("HTML", page), Liar("a long HTML", longPage),
        Liar("HTML behind a byte order mark", [0xEF, 0xBB, 0xBF], page), Liar("HTML behind blanks", text("\n\n  \t"), page),
        Liar("SVG", text("<?xml version=\"1.0\"?><svg xmlns=\"http://www.w3.org/2000/svg\"/>")),
        Liar("PDF", text("%PDF-1.7\n%âãÏÓ\n")), Liar("ZIP", text("PK\u{3}\u{4}"), Array(repeating: 0, count: 60)),
        Liar("Windows program", text("MZ"), Array(repeating: 0x90, count: 200)), Liar("ELF", [0x7F], text("ELF"), [2, 1, 1]),
        Liar("shell script", text("#!/bin/sh\nrm -rf /\n")), Liar("PHP", text("<?php system($_GET[0]); ?>")),
        Liar("zeros", Array(repeating: 0, count: 5000)), Liar("ones", Array(repeating: 0xFF, count: 5000)),
        Liar("spaces", Array(repeating: 0x20, count: 5000)),

        Liar("JPEG's magic, then text", [0xFF, 0xD8, 0xFF], page), Liar("JPEG's magic alone", [0xFF, 0xD8, 0xFF]),
        Liar("JPEG's magic with APP0, then text", [0xFF, 0xD8, 0xFF, 0xE0], page),
        Liar("JPEG's magic with APP0, then much text", [0xFF, 0xD8, 0xFF, 0xE0], longPage),
        Liar("JPEG's magic with a comment that is all text", [0xFF, 0xD8, 0xFF, 0xFE], longPage),
        Liar("JPEG of SOI and EOI", [0xFF, 0xD8, 0xFF, 0xD9]),
        Liar("JPEG without a frame", [0xFF, 0xD8, 0xFF, 0xE0, 0, 16], text("JFIF"), Array(repeating: 0, count: 10), [0xFF, 0xD9]),
        Liar("JPEG whose JFIF runs into text", [0xFF, 0xD8, 0xFF, 0xE0, 0, 16], text("JFIF"), Array(repeating: 0, count: 10), page),
        Liar("JPEG with a segment of length 1", [0xFF, 0xD8, 0xFF, 0xE0, 0, 1, 0xFF, 0xD9]),
        Liar("JPEG of fill bytes", [0xFF, 0xD8], Array(repeating: 0xFF, count: 6000)),
        Liar("JPEG-LS", [0xFF, 0xD8, 0xFF, 0xF7, 0, 11, 8, 0, 1, 0, 1, 1, 1, 0x11, 0, 0xFF, 0xD9]),

        Liar("PNG's magic, then text", pngStart, page), Liar("PNG's magic alone", pngStart),
        Liar("PNG with IHDR only", pngStart, ihdr), Liar("PNG with IHDR, then text", pngStart, ihdr, page),
        Liar("PNG without data", pngStart, ihdr, [0, 0, 0, 0], text("IEND"), [0xAE, 0x42, 0x60, 0x82]),
        Liar("PNG with a wrong CRC", pngStart, ihdr.dropLast() + [0], [0, 0, 0, 0], text("IEND"), [0xAE, 0x42, 0x60, 0x82]),

        Liar("GIF's magic alone", text("GIF89a")), Liar("GIF that is a script", text("GIF89a/*"), page, text("*/=1;")),
        Liar("GIF that is a script, shorter", text("GIF89a=1;alert(document.domain);//;")),
        Liar("GIF with no screen", text("GIF89a"), [0, 0, 0, 0, 0, 0, 0, 0x3B]),
        Liar("GIF without an image", text("GIF89a"), [1, 0, 1, 0, 0, 0, 0, 0x3B]),
        Liar("GIF from the future", text("GIF99a"), [1, 0, 1, 0, 0, 0, 0, 0x2C]),

        Liar("RIFF of nothing", text("RIFF"), [0, 0, 0, 0]),
        Liar("WebP's magic, then text", text("RIFF"), [46, 0, 0, 0], text("WEBP"), page),
        Liar("WebP with an empty VP8L", text("RIFF"), [12, 0, 0, 0], text("WEBPVP8L"), [0, 0, 0, 0]),
        Liar("WebP with text as VP8", text("RIFF"), [50, 0, 0, 0], text("WEBPVP8 "), [38, 0, 0, 0], page),
        Liar("WAV's magic, then text", text("RIFF"), [42, 0, 0, 0], text("WAVE"), page),
        Liar("WAV without a format", text("RIFF"), [14, 0, 0, 0], text("WAVEdata"), [2, 0, 0, 0, 1, 2]),

        Liar("ftyp alone", [0, 0, 0, 16], text("ftypisom"), [0, 0, 0, 0]),
        Liar("ftyp, then text", [0, 0, 0, 16], text("ftypisom"), [0, 0, 0, 0], page),
        Liar("ftyp, then much text", [0, 0, 0, 16], text("ftypmp42"), [0, 0, 0, 0], longPage),
        Liar("ftyp with no end", text("\0\0\0\0ftypisom"), page),
        Liar("ftyp of text", [0x3C, 0x21, 0x2D, 0x2D], text("ftypisom"), longPage),
        Liar("HEIC without meta", [0, 0, 0, 16], text("ftypheic"), [0, 0, 0, 0, 0, 0, 0, 12], text("mdat"), [1, 2, 3, 4]),
        Liar(
            "HEIC whose meta is not a picture's", [0, 0, 0, 16], text("ftypheic"), [0, 0, 0, 0, 0, 0, 0, 44], text("meta"),
            [0, 0, 0, 0, 0, 0, 0, 32],
            text("hdlr"), [0, 0, 0, 0, 0, 0, 0, 0], text("mdir"), Array(repeating: 0, count: 12)),
        Liar("text in a free box", [0, 0, 0, 46], text("free"), page), Liar("text in a media box", [0, 0, 0, 46], text("mdat"), page),
        Liar("text in an open media box", [0, 0, 0, 0], text("mdat"), longPage),
        Liar("text in an index", [0, 0, 0, 46], text("moov"), page),
        Liar("text behind a free box", [0, 0, 0, 8], text("free"), longPage),
        Liar("text behind the word moov", text("<!--moov-->"), page), Liar("text behind the word ftyp", text("<!--ftypisom-->"), page),

        Liar("ID3, then text", text("ID3"), page), Liar("ID3 of text", text("ID3"), [3, 0, 0, 0, 0, 0, 38], page),
        Liar("ID3 and nothing", text("ID3"), [3, 0, 0, 0, 0, 0, 10], Array(repeating: 0, count: 10)),
        Liar("ID3, padding, text", text("ID3"), [3, 0, 0, 0, 0, 0, 10], Array(repeating: 0, count: 10), longPage),
        Liar("ID3 before FLAC", text("ID3"), [4, 0, 0, 0, 0, 0, 4, 0, 0, 0, 0], text("fLaC"), Array(repeating: 0, count: 60)),
        Liar("ID3, padding, one frame header, text", text("ID3"), [3, 0, 0, 0, 0, 0, 2, 0, 0, 0xFF, 0xFB, 0x90, 0x00], longPage),
        Liar("one frame header, then text", [0xFF, 0xFB, 0x90, 0x00], longPage), Liar("a frame header alone", [0xFF, 0xFB, 0x90, 0x00]),
    ]

    @Test("bytes that only resemble a format are refused", arguments: liars)
    func liar(liar: Liar) {
        #expect(Sniffer.verify(liar.bytes) == nil)
        var sniffer = Sniffer()
        sniffer.receive(liar.bytes)
        #expect(sniffer.finish() == nil)
    }

    struct Flaw: CustomTestStringConvertible, Sendable {
        let fixture: String
        let anchor: [UInt8]
        let distance: Int
        let bytes: [UInt8]
        let testDescription: String

        /// Writes `bytes` at `distance` after the first occurrence of `anchor`.
        init(_ description: String, _ fixture: String, _ anchor: [UInt8], _ distance: Int, _ bytes: [UInt8]) {
            (testDescription, self.fixture, self.anchor, self.distance, self.bytes) = (description, fixture, anchor, distance, bytes)
        }
    }

    static let flaws: [Flaw] = [
        Flaw("frame of height 0", "baseline.jpg", [0xFF, 0xC0], 5, [0, 0]),
        Flaw("frame of width 0", "baseline.jpg", [0xFF, 0xC0], 7, [0, 0]),
        Flaw("frame of 16 bits", "baseline.jpg", [0xFF, 0xC0], 4, [16]), Flaw("lossless frame", "baseline.jpg", [0xFF, 0xC0], 1, [0xC3]),
        Flaw("frame of 5 components", "baseline.jpg", [0xFF, 0xC0], 9, [5]), Flaw("sampling 0", "baseline.jpg", [0xFF, 0xC0], 11, [0x01]),
        Flaw("marker between segments gone", "baseline.jpg", [0xFF, 0xDB], 0, [0x00]),
        Flaw("scan before frame", "baseline.jpg", [0xFF, 0xC0], 1, [0xE5]),
        Flaw("two frames", "baseline.jpg", [0xFF, 0xE0], 1, [0xC0, 0, 16, 8, 0, 1, 0, 1, 3]),
        Flaw("no EOI", "baseline.jpg", [0xFF, 0xD9], 1, [0x00]),
        Flaw("wrong CRC", "palette.png", text("IHDR"), 17, [1, 2, 3, 4]),
        Flaw("size that the CRC does not cover", "palette.png", text("IHDR"), 4, [0, 0, 0, 9]),
        Flaw("second IHDR", "palette.png", text("IDAT"), 0, text("IHDR")),
        Flaw("chunk not of letters", "palette.png", text("IDAT"), 0, [0x49, 0, 0x41, 0x54]),
        Flaw("data hidden", "palette.png", text("IDAT"), 0, text("tEXt")),
        Flaw("IEND with another CRC", "palette.png", text("IEND"), 4, [0, 0, 0, 0]),
        Flaw("chunk past the end", "palette.png", text("IDAT"), -4, [0x10, 0, 0, 0]),
        Flaw("IHDR of 14 bytes", "palette.png", text("IHDR"), -1, [14]),
        Flaw("screen of width 0", "still87a.gif", text("GIF87a"), 6, [0, 0]),
        Flaw("screen of height 0", "still87a.gif", text("GIF87a"), 8, [0, 0]),
        Flaw("color table of another size", "animated89a.gif", text("GIF89a"), 10, [0x70]),
        Flaw("no start code", "lossy.webp", text("VP8 "), 11, [0x9E]), Flaw("no key frame", "lossy.webp", text("VP8 "), 8, [0x31]),
        Flaw("picture of width 0", "lossy.webp", text("VP8 "), 14, [0, 0]), Flaw("version 1", "lossless.webp", text("VP8L"), 12, [0x20]),
        Flaw("no signature", "lossless.webp", text("VP8L"), 8, [0x2E]), Flaw("VP8X of 12 bytes", "alpha.webp", text("VP8X"), 4, [12]),
        Flaw("chunk past the end", "lossy.webp", text("VP8 "), 6, [1]),
        Flaw("other first chunk", "lossy.webp", text("VP8 "), 0, text("JUNK")),
        Flaw("no channels", "plain.wav", text("fmt "), 10, [0, 0]), Flaw("sample rate 0", "plain.wav", text("fmt "), 12, [0, 0, 0, 0]),
        Flaw("block of another size", "plain.wav", text("fmt "), 20, [3]), Flaw("MP3 inside", "plain.wav", text("fmt "), 8, [0x55]),
        Flaw("data past the end", "plain.wav", text("data"), 6, [1]), Flaw("RF64", "plain.wav", text("RIFF"), 0, text("RF64")),
        Flaw("meta of a song", "libheif.heic", text("pict"), 0, text("mdir")),
        Flaw("no handler", "libheif.heic", text("hdlr"), 0, text("free")),
        Flaw("media past the end", "libheif.heic", text("mdat"), -3, [1]), Flaw("no media", "libheif.heic", text("mdat"), 0, text("free")),
        Flaw("no index", "moov-last.mp4", text("moov"), 0, text("free")), Flaw("no media", "moov-first.mp4", text("mdat"), 0, text("free")),
        Flaw("index of something else", "moov-last.mp4", text("mvhd"), 0, text("html")),
        Flaw("index past the end", "moov-last.mp4", text("moov"), -3, [1]),
        Flaw("ftyp of odd size", "moov-last.mp4", text("ftyp"), -1, [33]),
        Flaw("other box behind ftyp", "moov-first.mp4", text("moov"), 0, text("html")),
        Flaw("size that is not synchsafe", "tagged.mp3", text("ID3"), 7, [0x80]), Flaw("version 5", "tagged.mp3", text("ID3"), 3, [5]),
        Flaw("frame of no name", "tagged.mp3", text("ID3"), 10, text("<b>!")), Flaw("layer II", "bare.mp3", [0xFF], 1, [0xF5]),
        Flaw("AAC's sync", "bare.mp3", [0xFF], 1, [0xF1]), Flaw("free bit rate", "bare.mp3", [0xFF], 2, [0x00]),
        Flaw("forbidden bit rate", "bare.mp3", [0xFF], 2, [0xF0]), Flaw("reserved sample rate", "bare.mp3", [0xFF], 2, [0x4C]),
        Flaw("longer first frame", "bare.mp3", [0xFF], 2, [0x50]), Flaw("reserved emphasis", "bare.mp3", [0xFF], 3, [0xC2]),
    ]

    @Test("a real file with one wrong field is refused", arguments: flaws)
    func flaw(flaw: Flaw) throws {
        var file = try RealFile.bytes(flaw.fixture)
        #expect(Sniffer.verify(file) != nil)
        let anchor = try #require((0..<file.count).first { file[$0...].starts(with: flaw.anchor) })
        for (index, byte) in flaw.bytes.enumerated() { file[anchor + flaw.distance + index] = byte }
        #expect(Sniffer.verify(file) == nil)
    }

    @Test("no single byte is recognized")
    func oneByte() {
        for byte in UInt8.min...UInt8.max {
            #expect(Sniffer.sniff(head: [byte]) == nil)
            #expect(Sniffer.verify([byte]) == nil)
        }
    }

    @Test("the header of one format on the body of another is refused", arguments: MediaFixture.accepted)
    func grafts(fixture: MediaFixture) throws {
        let file = try fixture.bytes()
        for other in MediaFixture.accepted where other.type != fixture.type {
            let graft = file.prefix(12) + (try other.bytes()).dropFirst(12)
            let found = Sniffer.verify(graft)
            // The twelve bytes contain only the brand and the size of its box. Between two formats of the same box family, the result is
            // a valid file of the other format.
            let areKin = Self.isBoxed(fixture.type) && Self.isBoxed(other.type)
            #expect(found == nil || areKin, "\(fixture.name) on \(other.name) is \(String(describing: found))")
        }
    }

    private static func isBoxed(_ type: MediaType?) -> Bool { [.mp4, .mov, .m4a, .heic, .heif].contains(type) }

    @Test("twenty thousand mutations of each file never trap", arguments: MediaFixture.accepted)
    func mutations(fixture: MediaFixture) throws {
        let original = try fixture.bytes()
        var random = SplitMix64(seed: 2026)
        var survivors = 0
        for round in 0..<20_000 {
            var file = original
            // Half of the rounds change only the header, which decides the type.
            let reach = round.isMultiple(of: 2) ? min(64, file.count) : file.count
            for _ in 0..<Int.random(in: 1...4, using: &random) { Self.mutate(&file, within: reach, using: &random) }
            if Sniffer.verify(file) != nil { survivors += 1 }
            if round.isMultiple(of: 4) { _ = Sniffer.sniff(head: file.prefix(Int.random(in: 0...file.count, using: &random))) }
        }
        #expect(survivors < 20_000)
    }

    private static let interesting: [UInt8] = [0x00, 0x01, 0x7F, 0x80, 0xFE, 0xFF]

    private static func mutate(_ file: inout [UInt8], within reach: Int, using random: inout SplitMix64) {
        guard file.count > 8 else { return }
        let offset = Int.random(in: 0..<min(reach, file.count), using: &random)
        switch Int.random(in: 0..<6, using: &random) {
        case 0: file[offset] ^= 1 << UInt8.random(in: 0..<8, using: &random)
        case 1: file[offset] = UInt8.random(in: 0...255, using: &random)
        case 2: for index in offset..<min(offset + 4, file.count) { file[index] = interesting.randomElement(using: &random)! }
        case 3: file.removeSubrange(offset..<min(offset + Int.random(in: 1...16, using: &random), file.count))
        case 4: file.insert(contentsOf: Array(file.suffix(Int.random(in: 1...16, using: &random))), at: offset)
        default: file.removeLast(Int.random(in: 1...min(64, file.count - 1), using: &random))
        }
    }
}
