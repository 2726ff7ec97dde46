import Media
import TestKit
import Testing

@Suite("The content decides a file's type")
struct SnifferTests {
    /// The sniffer never sees a name, so testing each fixture against each type covers every name.
    @Test("each real file is recognized as its own type and no other", arguments: MediaType.allCases, MediaFixture.all)
    func diagonal(type: MediaType, fixture: MediaFixture) throws {
        let file = try fixture.bytes()
        #expect((Sniffer.verify(file) == type) == (fixture.type == type))
        #expect((Sniffer.sniff(head: file) == type) == (fixture.type == type))
        #expect((Sniffer.sniff(head: file, byteCount: file.count) == type) == (fixture.type == type))
    }

    @Test("every type has a fixture, and there are fixtures to refuse")
    func coverage() {
        #expect(Set(MediaFixture.accepted.compactMap(\.type)) == Set(MediaType.allCases))
        #expect(MediaFixture.refused.count >= 25)
    }

    @Test("a type that is not allowed is not recognized", arguments: MediaFixture.refused)
    func refused(fixture: MediaFixture) throws {
        let file = try fixture.bytes()
        #expect(!file.isEmpty)
        #expect(Sniffer.verify(file) == nil)
        #expect(Sniffer.sniff(head: file) == nil)
    }

    @Test("the result does not depend on how the bytes are split", arguments: MediaFixture.all)
    func arrival(fixture: MediaFixture) throws {
        let file = try fixture.bytes()
        var random = SplitMix64(seed: 11)
        for longest in [1, 7, 1000, 5000, 100_000] {
            var sniffer = Sniffer()
            var rest = file[...]
            while !rest.isEmpty {
                sniffer.receive(rest.prefix(Int.random(in: 1...longest, using: &random)))
                rest = file[sniffer.byteCount...]
                #expect((sniffer.outcome == .undecided) == (sniffer.byteCount < Sniffer.windowByteCount))
            }
            #expect(sniffer.finish() == fixture.type)
        }
    }

    @Test("a wrong type is refused once the window is full")
    func early() throws {
        var sniffer = Sniffer()
        let text = Array(repeating: UInt8(ascii: "x"), count: 4000)
        #expect(sniffer.receive(text) == .undecided)
        #expect(sniffer.receive(text) == .refused)
        #expect(sniffer.finish() == nil)

        var photo = Sniffer()
        #expect(photo.receive(try RealFile.bytes("photo.jpg").prefix(5000)) == .looksLike(.jpeg))
    }

    @Test("of a longer head, only the window is read")
    func bounded() throws {
        let photo = try RealFile.bytes("photo.jpg")
        let head = photo.prefix(Sniffer.windowByteCount) + Array(repeating: 0xFF, count: 100_000)
        #expect(Sniffer.sniff(head: Array(head)) == .jpeg)
        #expect(photo.withUnsafeBytes { Sniffer.sniff(head: $0) } == .jpeg)
    }

    @Test("an impossible length is refused", arguments: [-1, Int.min, Int.max])
    func impossibleLength(byteCount: Int) throws {
        for fixture in MediaFixture.accepted {
            let file = try fixture.bytes()
            #expect(Sniffer.verify(head: file, tail: file, byteCount: byteCount) == nil)
            #expect(Sniffer.sniff(head: file, byteCount: byteCount) == nil)
        }
    }

    @Test("head, tail and length that contradict each other do not trap")
    func contradiction() throws {
        for fixture in MediaFixture.all {
            let file = try fixture.bytes()
            for byteCount in [0, 1, 11, 12, 64, 4096, 4097, 8192, 1 << 53] {
                _ = Sniffer.verify(head: file, tail: file, byteCount: byteCount)
                _ = Sniffer.verify(head: file, tail: [], byteCount: byteCount)
                _ = Sniffer.verify(head: [], tail: file, byteCount: byteCount)
            }
        }
    }

    @Test("each type has its kind and its file extension")
    func descriptions() {
        #expect(MediaType.allCases.filter { $0.kind == .video } == [.mp4, .mov])
        #expect(MediaType.allCases.filter { $0.kind == .audio } == [.mp3, .m4a, .wav])
        #expect(MediaType.allCases.allSatisfy { $0.rawValue.hasPrefix($0.kind.rawValue + "/") })
        #expect(Set(MediaType.allCases.map(\.fileExtension)).count == MediaType.allCases.count)
        #expect(MediaType(rawValue: "image/png") == .png)
    }
}

@Suite("Brands distinguish the box formats")
struct SnifferBrandTests {
    /// A file of `ftyp` with these brands and an index that fits every box format, so that only the brands differ.
    private func file(_ brands: [String]) -> [UInt8] {
        func box(_ name: String, _ content: [UInt8]) -> [UInt8] {
            let size = UInt32(8 + content.count)
            return (0..<4).map { UInt8(truncatingIfNeeded: size >> (24 - 8 * $0)) } + Array(name.utf8) + content
        }
        let handler = box("hdlr", [0, 0, 0, 0, 0, 0, 0, 0] + Array("pict".utf8) + Array(repeating: 0, count: 13))
        let compatible: [UInt8] = Array(brands.dropFirst().joined().utf8)
        let content = Array(brands[0].utf8) + [0, 0, 0, 0] + compatible
        return box("ftyp", content) + box("meta", [0, 0, 0, 0] + handler) + box("moov", box("mvhd", [])) + box("mdat", [1, 2, 3])
    }

    @Test(
        "the major brand decides, then the first known compatible brand",
        arguments: [
            (["isom", "isom", "iso2", "avc1", "mp41"], .mp4), (["mp42", "mp42", "isom"], .mp4), (["mp41"], .mp4),
            (["avc1", "isom"], .mp4), (["M4V ", "M4V ", "mp42", "isom"], .mp4), (["MSNV", "MSNV", "mp42"], .mp4),
            (["dash", "iso6"], .mp4), (["iso5", "hlsf"], .mp4), (["XAVC", "XAVC", "mp42", "iso2"], .mp4), (["isom", "3gp4"], .mp4),
            (["CAEP", "CAEP", "mp42"], .mp4),
            (["qt  ", "qt  "], .mov), (["qt  "], .mov),
            (["M4A ", "M4A ", "mp42", "isom"], .m4a), (["M4B ", "isom"], .m4a),
            (["heic", "mif1", "heic"], .heic), (["heix", "mif1"], .heic), (["hevc", "msf1"], .heic), (["heim"], .heic), (["heis"], .heic),
            (["mif1", "heic"], .heic), (["mif1", "MiHE", "miaf", "heix"], .heic), (["msf1", "hevc"], .heic),
            (["mif1"], .heif), (["mif1", "miaf"], .heif), (["msf1", "iso8"], .heif), (["jpeg", "mif1", "jpeg"], .heif),
            (["avif", "mif1", "miaf"], nil), (["avis", "msf1"], nil), (["mif1", "avif"], nil), (["avif", "heic"], nil),
            (["3gp4", "isom", "3gp4"], nil), (["3gp5"], nil), (["3g2a", "mp42"], nil), (["3gr6", "isom"], nil),
            (["crx ", "crx ", "isom"], nil), (["jp2 ", "jp2 "], nil), (["jxl ", "jxl "], nil), (["M4P ", "isom"], nil),
            (["aax ", "M4B "], nil), (["abcd", "efgh"], nil), (["abcd"], nil),
        ] as [([String], MediaType?)])
    func brands(brands: [String], type: MediaType?) {
        #expect(Sniffer.verify(file(brands)) == type)
    }
}
