internal import Foundation

/// A small file that is expensive to decode.
package struct Bomb: Sendable {
    package let name: String
    /// The file name that an attacker would use.
    package let fileName: String
    package let bytes: [UInt8]
    /// The name of the `MediaRefusal` that is expected for a picture. Not used for the other kinds of files.
    package let refusal: String

    /// One picture of each sort.
    /// - Parameter generator: varies the files in ways that keep them bombs.
    package static func pictures(_ generator: inout some RandomNumberGenerator) throws -> [Bomb] {
        let count = Int.random(in: 90_000...110_000, using: &generator)
        let side = Int.random(in: 20_000...30_000, using: &generator)
        let head = try RealFile.bytes("palette.png")
        var huge = head
        huge.replaceSubrange(16..<24, with: big(side, 4) + big(side, 4))
        var long = head
        long.replaceSubrange(16..<24, with: big(30_001 + count, 4) + big(1, 4))
        // The header, and a chunk that claims two gigabytes.
        let endless = Array(head[..<33]) + big(0x7FFF_FFFF, 4) + Array("IDAT".utf8) + [UInt8](repeating: 0, count: count)
        // A GIF's header and frames of one pixel.
        let frame: [UInt8] = [0x2C, 0, 0, 0, 0, 1, 0, 1, 0, 0, 2, 2, 0x4C, 1, 0]
        let frames =
            Array("GIF89a".utf8) + [1, 0, 1, 0, 0x80, 0, 0, 0, 0, 0, 255, 255, 255] + (0..<count).flatMap { _ in frame } + [0x3B]
        let webp = try RealFile.bytes("animated.webp")
        var animation =
            Array(webp[..<44]) + (0..<count).flatMap { _ in Array("ANMF".utf8) + [16, 0, 0, 0] + [UInt8](repeating: 0, count: 16) }
        animation.replaceSubrange(4..<8, with: big(animation.count - 8, 4).reversed())
        // 16,383 by 16,383 pixels, WebP's maximum.
        var wide = try RealFile.bytes("lossless.webp")
        wide.replaceSubrange(21..<25, with: [0xFE, 0xBF, 0xFF, 0x0F])
        // 65,500 by 65,500 pixels in the frame header, libjpeg's maximum.
        var jpeg = try RealFile.bytes("baseline.jpg")
        if let at = jpeg.indices.first(where: { jpeg[$0] == 0xFF && $0 + 9 < jpeg.count && jpeg[$0 + 1] == 0xC0 }) {
            jpeg.replaceSubrange(at + 5..<at + 9, with: [0xFF, 0xDC, 0xFF, 0xDC])
        }
        return [
            Bomb(name: "a PNG of \(side) by \(side)", fileName: "a.png", bytes: huge, refusal: "tooManyPixels"),
            Bomb(name: "a PNG of more than 30,000 by 1", fileName: "a.png", bytes: long, refusal: "sideTooLong"),
            Bomb(name: "a PNG with an endless chunk", fileName: "a.png", bytes: endless, refusal: "unreadable"),
            Bomb(name: "a GIF of \(count) frames", fileName: "a.gif", bytes: frames, refusal: "tooManyFrames"),
            Bomb(name: "a WebP of \(count) frames", fileName: "a.webp", bytes: animation, refusal: "tooManyFrames"),
            Bomb(name: "a WebP of 16,383 by 16,383", fileName: "a.webp", bytes: wide, refusal: "tooManyPixels"),
            Bomb(name: "a JPEG of 65,500 by 65,500", fileName: "a.jpg", bytes: jpeg, refusal: "sideTooLong"),
            Bomb(name: "ISO boxes in each other", fileName: "a.heic", bytes: boxes(depth: count / 5), refusal: "unreadable"),
            Bomb(name: "\(count) ISO boxes beside each other", fileName: "a.heic", bytes: boxes(count: count), refusal: "unreadable"),
            Bomb(name: "2 MB of nothing", fileName: "a.jpg", bytes: [UInt8](repeating: 0, count: 2 << 20), refusal: "unreadable"),
        ]
    }

    package static func pictures() throws -> [Bomb] {
        var generator = SplitMix64(seed: 4)
        return try pictures(&generator)
    }

    /// 98 black megapixels in about 100 KB each, in formats that a decoder must hold in memory as a whole.
    package static func greedy() throws -> [Bomb] { try greedyOnce.get() }

    // The pictures are made once, because making them takes seconds.
    private static let greedyOnce = Result {
        [
            Bomb(
                name: "an interlaced PNG of 9,900 by 9,900", fileName: "a.png",
                bytes: try black("pngsave", "png", ["--interlace", "--compression", "6"]), refusal: "tooManyPixels"),
            Bomb(
                name: "a progressive JPEG of 9,900 by 9,900", fileName: "a.jpg", bytes: try black("jpegsave", "jpg", ["--interlace"]),
                refusal: "tooManyPixels"),
            Bomb(
                name: "a WebP of 9,900 by 9,900", fileName: "a.webp",
                bytes: try black("webpsave", "webp", ["--lossless", "--effort", "0"]),
                refusal: "tooManyPixels"),
        ]
    }

    /// A picture that is not a bomb: it is as large as those of `greedy`, but decoded row by row.
    package static func rows() throws -> Bomb {
        Bomb(name: "a PNG of 9,900 by 9,900", fileName: "a.png", bytes: try black("pngsave", "png", ["--compression", "6"]), refusal: "")
    }

    private static func black(_ command: String, _ suffix: String, _ options: [String]) throws -> [UInt8] {
        let folder = try TemporaryFolder()
        try Tool.run("vips", ["black", "\(folder.path)/a.v", "9900", "9900", "--bands", "3"])
        try Tool.run("vips", [command, "\(folder.path)/a.v", "\(folder.path)/a.\(suffix)"] + options)
        return [UInt8](try Data(contentsOf: URL(filePath: "\(folder.path)/a.\(suffix)")))
    }

    /// Pictures, videos, and documents that are archives of archives.
    package static func all(_ generator: inout some RandomNumberGenerator) throws -> [Bomb] {
        let count = Int.random(in: 90_000...110_000, using: &generator)
        let film = big(24, 4) + Array("ftypisom".utf8) + [0, 0, 0, 0] + Array("isommp42".utf8)
        let tracks = (0..<count).flatMap { _ in big(8, 4) + Array("trak".utf8) }
        let wide = film + big(8 + tracks.count, 4) + Array("moov".utf8) + tracks
        let deep = film + (0..<count / 5).flatMap { big(8 * (count / 5 - $0), 4) + Array("moov".utf8) }
        return try pictures(&generator) + greedyOnce.get() + [
            Bomb(name: "a film of \(count) tracks", fileName: "a.mp4", bytes: wide, refusal: "unreadable"),
            Bomb(name: "films in each other", fileName: "a.mov", bytes: deep, refusal: "unreadable"),
            Bomb(
                name: "a docx of archives of archives of nothing", fileName: "a.docx", bytes: try archiveOnce.get(), refusal: "unreadable"),
        ]
    }

    /// Ten archives of ten archives of 50 MB of zeros: 5 GB in about 60 KB.
    private static func archive() throws -> [UInt8] {
        let folder = try TemporaryFolder()
        let path = folder.path
        let script = """
            cd '\(path)' && head -c 50000000 /dev/zero > 0 && zip -q -9 0.zip 0 && for i in 1 2 3 4 5 6 7 8 9; do cp 0.zip $i.zip; done \
            && zip -q -9 a.zip ?.zip && mkdir -p word/embeddings && for i in 0 1 2 3 4 5 6 7 8 9; do cp a.zip word/embeddings/$i.zip; done \
            && zip -q -9 -r bomb.docx word
            """
        try Tool.run("sh", ["-c", script])
        return [UInt8](try Data(contentsOf: URL(filePath: "\(path)/bomb.docx")))
    }

    private static let archiveOnce = Result { try archive() }

    private static func boxes(depth: Int) -> [UInt8] {
        let inner = (0..<depth).flatMap { big(8 * (depth - $0), 4) + Array("ipco".utf8) }
        return heic + big(12 + 8 + inner.count, 4) + Array("meta".utf8) + [0, 0, 0, 0] + big(8 + inner.count, 4) + Array("iprp".utf8)
            + inner
    }

    private static func boxes(count: Int) -> [UInt8] {
        let inner = (0..<count).flatMap { _ in big(8, 4) + Array("free".utf8) }
        return heic + big(12 + inner.count, 4) + Array("meta".utf8) + [0, 0, 0, 0] + inner
    }

    private static let heic = big(24, 4) + Array("ftypheic".utf8) + [0, 0, 0, 0] + Array("mif1heic".utf8)

    private static func big(_ value: Int, _ count: Int) -> [UInt8] {
        (0..<count).reversed().map { UInt8(truncatingIfNeeded: value >> (8 * $0)) }
    }
}
