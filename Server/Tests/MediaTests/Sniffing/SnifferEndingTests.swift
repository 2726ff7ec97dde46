import Media
import TestKit
import Testing

@Suite("Checks of a file's end and length")
struct SnifferEndingTests {
    @Test("a file cut at any length is never recognized as another type", arguments: MediaFixture.all)
    func cut(fixture: MediaFixture) throws {
        let file = try fixture.bytes()
        for length in 0...min(file.count, Sniffer.windowByteCount) {
            let cut = file.prefix(length)
            for found in [Sniffer.sniff(head: cut), Sniffer.sniff(head: cut, byteCount: length), Sniffer.verify(cut)] {
                #expect(found == nil || found == fixture.type, "cut to \(length) bytes")
            }
        }
    }

    @Test("a cut file is refused when its structure shows the cut", arguments: MediaFixture.accepted.filter { !$0.canBeShorter })
    func truncation(fixture: MediaFixture) throws {
        let file = try fixture.bytes()
        for length in stride(from: file.count - 1, through: 0, by: file.count > 6000 ? -97 : -1) {
            #expect(Sniffer.verify(file.prefix(length)) == nil, "cut to \(length) bytes")
        }
    }

    @Test("with only the head, the sniffer accepts what it cannot check yet", arguments: MediaFixture.accepted)
    func early(fixture: MediaFixture) throws {
        let file = try fixture.bytes()
        guard file.count > 1000 else { return }
        #expect(Sniffer.sniff(head: file.prefix(1000)) == fixture.type)
        #expect(Sniffer.sniff(head: file.prefix(1000), byteCount: file.count) == fixture.type)
    }

    @Test(
        "zeros after the end are accepted as padding where the format marks its own end",
        arguments: ["palette.png", "animated.png", "still87a.gif", "animated89a.gif", "baseline.jpg", "moov-last.mp4", "libheif.heic"])
    func padding(name: String) throws {
        let file = try RealFile.bytes(name)
        let type = Sniffer.verify(file)
        #expect(type != nil)
        for count in [1, 8, 512, 4000] { #expect(Sniffer.verify(file + Array(repeating: 0, count: count)) == type) }
    }

    @Test(
        "an archive appended to a picture is refused, unless phones append data to the format",
        arguments: ["palette.png", "still87a.gif", "lossy.webp"])
    func appended(name: String) throws {
        let archive = try RealFile.bytes("refused/archive.zip")
        #expect(Sniffer.verify(try RealFile.bytes(name) + archive) == nil)
        #expect(Sniffer.verify(try RealFile.bytes(name) + Array(repeating: 0x20, count: 9000) + archive) == nil)
    }

    // MARK: - JPEG

    @Test("any bytes after the end of a JPEG are accepted")
    func trailer() throws {
        let photo = try RealFile.bytes("photo.jpg")
        let film = try RealFile.bytes("moov-last.mp4")
        var random = SplitMix64(seed: 3)
        let noise = (0..<20_000).map { _ in UInt8.random(in: 0...255, using: &random) }
        let mask = (0..<20_000).map { $0 / 40 % 2 == 0 ? UInt8(0) : 0xFF }
        for trailer in [film, noise, mask, Array(repeating: 0, count: 20_000), Array("watermark".utf8)] {
            #expect(Sniffer.verify(photo + trailer) == .jpeg)
        }
    }

    // MARK: - RIFF

    @Test(
        "a RIFF file has the length in its header, with or without the pad byte", arguments: ["lossy.webp", "animated.webp", "plain.wav"])
    func sizes(name: String) throws {
        let file = try RealFile.bytes(name)
        #expect(Sniffer.verify(file + [0]) == nil)
        #expect(Sniffer.verify(file + [0, 0]) == nil)
        var larger = file
        larger[4] &+= 2
        #expect(Sniffer.verify(larger) == nil)
        #expect(Sniffer.sniff(head: larger, byteCount: larger.count) == nil)
    }

    @Test("the pad byte of an odd chunk may be counted, present or missing")
    func padByte() {
        let header =
            Array("WAVEfmt ".utf8) + [16, 0, 0, 0, 1, 0, 1, 0, 64, 31, 0, 0, 64, 31, 0, 0, 1, 0, 8, 0] + Array("data".utf8) + [3, 0, 0, 0]
        func file(_ size: UInt8, _ data: [UInt8]) -> [UInt8] { Array("RIFF".utf8) + [size, 0, 0, 0] + header + data }
        #expect(Sniffer.verify(file(40, [1, 2, 3, 0])) == .wav)
        #expect(Sniffer.verify(file(39, [1, 2, 3, 0])) == .wav)
        #expect(Sniffer.verify(file(39, [1, 2, 3])) == .wav)
        #expect(Sniffer.verify(file(40, [1, 2, 3])) == nil)
        #expect(Sniffer.verify(file(38, [1, 2])) == nil)
    }

    @Test("a WAV of Apple's recorder, which fills the first 4,096 bytes before the sound, is recognized", arguments: [true, false])
    func filler(hasJunk: Bool) {
        func chunk(_ name: String, _ content: [UInt8]) -> [UInt8] {
            let size = (0..<4).map { UInt8(truncatingIfNeeded: content.count >> (8 * $0)) }
            return Array(name.utf8) + size + content
        }
        // The client of the capsules' document records like this: 16 kHz, mono, 16 bits.
        var chunks = chunk("fmt ", [1, 0, 1, 0, 0x80, 0x3E, 0, 0, 0, 0x7D, 0, 0, 2, 0, 16, 0])
        if hasJunk { chunks = chunk("JUNK", [UInt8](repeating: 0, count: 28)) + chunks }
        // The length of the filler's content, without the headers of RIFF, of the filler and of `data`.
        let filled = 4_096 - 12 - 8 - 8 - chunks.count
        chunks += chunk("FLLR", [UInt8](repeating: 0, count: filled))
        chunks += chunk("data", [UInt8](repeating: 1, count: 32_000))
        let file = chunk("RIFF", Array("WAVE".utf8) + chunks)
        #expect(Array(file[4_088..<4_092]) == Array("data".utf8))
        #expect(Sniffer.sniff(head: file.prefix(Sniffer.windowByteCount)) == .wav)
        #expect(Sniffer.verify(file) == .wav)
        #expect(Sniffer.verify(file.dropLast(2)) == nil)
    }

    // MARK: - Boxes

    /// Inserts a box of `count` bytes after the first box.
    private func widened(_ name: String, by count: Int) throws -> [UInt8] {
        let file = try RealFile.bytes(name)
        let first = Int(file[3])
        let size = (0..<4).map { UInt8(truncatingIfNeeded: count >> (24 - 8 * $0)) }
        return file[..<first] + size + Array("free".utf8) + Array(repeating: 0x41, count: count - 8) + file[first...]
    }

    @Test("after a skip over a large box, parsing continues in the tail", arguments: ["moov-last.mp4", "branded.mov", "voice.m4a"])
    func jump(name: String) throws {
        let file = try widened(name, by: 50_000)
        #expect(Sniffer.verify(file) == Sniffer.verify(try RealFile.bytes(name)))
        for cut in [1, 8, 100, 500, 30_000] { #expect(Sniffer.verify(file.dropLast(cut)) == nil) }
    }

    @Test("a box may have a 64-bit size, but not an impossible one")
    func largeSizes() {
        let brand: [UInt8] = [0, 0, 0, 16] + Array("ftypisom".utf8) + [0, 0, 0, 0]
        let index: [UInt8] = [0, 0, 0, 16] + Array("moov".utf8) + [0, 0, 0, 8] + Array("mvhd".utf8)
        func media(_ size: [UInt8]) -> [UInt8] { [0, 0, 0, 1] + Array("mdat".utf8) + size + [1, 2, 3, 4] }
        #expect(Sniffer.verify(brand + media([0, 0, 0, 0, 0, 0, 0, 20]) + index) == .mp4)
        #expect(Sniffer.verify(brand + index + [0, 0, 0, 0] + Array("mdat".utf8) + [1, 2, 3]) == .mp4)
        for high: UInt8 in [0x00, 0x0F, 0x7F, 0x80, 0xFF] {
            let wrong = brand + media([high, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF]) + index
            #expect(Sniffer.verify(wrong) == nil)
        }
        #expect(Sniffer.verify(brand + media([0, 0, 0, 0, 0, 0, 0, 15]) + index) == nil)
        #expect(Sniffer.verify(brand + media([0, 0, 0, 0, 0, 0, 0, 20])) == nil)
        #expect(Sniffer.verify(brand + index) == nil)
    }

    @Test("QuickTime without ftyp is recognized by its boxes")
    func oldFilms() throws {
        let film = Array(try RealFile.bytes("branded.mov").dropFirst(20))
        #expect(film[4..<8] == Array("wide".utf8)[...])
        #expect(Sniffer.verify(film) == .mov)
        #expect(Sniffer.verify(film.dropFirst(8)) == .mov)
        #expect(Sniffer.verify(film.dropFirst(8).dropLast(1)) == nil)
    }

    // MARK: - MP3

    @Test("after cover art larger than the window, frames must be found at the end")
    func coverArt() throws {
        let frames = try RealFile.bytes("bare.mp3")
        let picture = Array(repeating: UInt8(0x41), count: 100_000)
        let size = 10 + picture.count
        let tag = Array("ID3".utf8) + [3, 0, 0] + (0..<4).map { UInt8(size >> (21 - 7 * $0) & 0x7F) }
        let frame = Array("APIC".utf8) + (0..<4).map { UInt8(truncatingIfNeeded: picture.count >> (24 - 8 * $0)) } + [0, 0]
        let covered = tag + frame + picture
        #expect(Sniffer.sniff(head: covered) == .mp3)
        #expect(Sniffer.verify(covered + frames) == .mp3)
        #expect(Sniffer.verify(covered + frames + frames + frames + frames + frames) == .mp3)
        #expect(Sniffer.verify(covered) == nil)
        #expect(Sniffer.verify(covered + Array(repeating: UInt8(ascii: "<"), count: 5000)) == nil)
        #expect(Sniffer.verify(tag + frame + Array(try RealFile.bytes("refused/page.html"))) == nil)
    }
}
