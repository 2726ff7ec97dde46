internal import Foundation

/// Audio and video files whose tables refer to the same bytes many times, so that a small file claims to last hours.
package struct RepeatedChunk: Sendable {
    package let name: String
    package let bytes: [UInt8]

    /// All variants, made from the AAC of a small real file.
    package static func all() throws -> [RepeatedChunk] {
        let real = try RealFile.bytes("voice.m4a")
        let frame = try frame(of: real)
        return [
            try chunks(real, frame), try edits(real, frame), try fragments(real, frame), try plain(real),
        ]
    }

    /// 6,000 chunks of 100 frames, all at the same offset: almost four hours in 40 KB.
    package static func chunks() throws -> RepeatedChunk {
        let real = try RealFile.bytes("voice.m4a")
        return try chunks(real, frame(of: real))
    }

    /// Frames of one byte each, of the codec with this code of four letters. Nothing decodes them.
    package static func frames(of codec: String, count: Int) throws -> [UInt8] {
        let real = try RealFile.bytes("voice.m4a")
        var description = try box(real, "stsd")
        description.replaceSubrange(20..<24, with: Array(codec.utf8))
        return try file(
            real, [UInt8](repeating: 0, count: count), description: description, frames: count, size: 1, perChunk: count, chunks: 1)
    }

    private static func chunks(_ real: [UInt8], _ frame: [UInt8]) throws -> RepeatedChunk {
        let media = Array(repeating: frame, count: 100).flatMap { $0 }
        return RepeatedChunk(
            name: "6,000 times the same chunk",
            bytes: try file(
                real, media, description: box(real, "stsd"), frames: 600_000, size: frame.count, perChunk: 100, chunks: 6_000))
    }

    /// An edit list that shows the whole track 2,000 times.
    private static func edits(_ real: [UInt8], _ frame: [UInt8]) throws -> RepeatedChunk {
        let media = Array(repeating: frame, count: 400).flatMap { $0 }
        let rows = (0..<2_000).flatMap { _ in big(10_000) + big(0) + big(0x10000) }
        let edits = atom("edts", atom("elst", big(0) + big(2_000) + rows))
        return RepeatedChunk(
            name: "2,000 times the same edit",
            bytes: try file(
                real, media, description: box(real, "stsd"), frames: 400, size: frame.count, perChunk: 400, chunks: 1, edits: edits))
    }

    /// One run of a fragment that claims three million frames of a few bytes.
    private static func fragments(_ real: [UInt8], _ frame: [UInt8]) throws -> RepeatedChunk {
        let head = try file(real, [], description: box(real, "stsd"), frames: 0, size: 0, perChunk: 0, chunks: 0, isFragmented: true)
        let run = atom("trun", big(0x1) + big(3_000_000) + big(100))
        let track = atom("traf", atom("tfhd", big(0x20010) + big(1) + big(frame.count)) + run)
        let fragment = atom("moof", atom("mfhd", big(0) + big(1)) + track)
        return RepeatedChunk(name: "a fragment of 3,000,000 frames", bytes: head + fragment + atom("mdat", frame))
    }

    /// Uncompressed audio, whose chunks alone determine the length.
    private static func plain(_ real: [UInt8]) throws -> RepeatedChunk {
        let entry = big(0) + [0, 0, 0, 1] + big(0) + big(0) + [0, 1, 0, 16, 0, 0, 0, 0] + [0xBB, 0x80, 0, 0]
        let description = atom("stsd", big(0) + big(1) + atom("sowt", entry))
        return RepeatedChunk(
            name: "uncompressed sound, 6,000 times the same chunk",
            bytes: try file(
                real, [UInt8](repeating: 7, count: 20_000), description: description, frames: 10_000, size: 2, perChunk: 1_000_000,
                chunks: 6_000
            ))
    }

    private static func file(
        _ real: [UInt8], _ media: [UInt8], description: [UInt8], frames: Int, size: Int, perChunk: Int, chunks: Int, edits: [UInt8] = [],
        isFragmented: Bool = false
    ) throws -> [UInt8] {
        let type = atom("ftyp", Array("isom".utf8) + big(0) + Array("isommp42".utf8))
        let tables =
            description + atom("stts", big(0) + big(1) + big(frames) + big(1_024))
            + atom("stsc", big(0) + big(1) + big(1) + big(perChunk) + big(1)) + atom("stsz", big(0) + big(size) + big(frames))
            + atom("stco", big(0) + big(chunks) + (0..<chunks).flatMap { _ in big(type.count + 8) })
        let information = atom("minf", try box(real, "smhd") + box(real, "dinf") + atom("stbl", tables))
        let track = atom("trak", try box(real, "tkhd") + edits + atom("mdia", box(real, "mdhd") + box(real, "hdlr") + information))
        let extends = isFragmented ? atom("mvex", atom("trex", big(0) + big(1) + big(1) + big(1_024) + big(0) + big(0))) : []
        return type + atom("mdat", media) + atom("moov", try box(real, "mvhd") + track + extends)
    }

    // MARK: Boxes

    private static func big(_ value: Int) -> [UInt8] { (0..<4).map { UInt8(truncatingIfNeeded: value >> (24 - 8 * $0)) } }
    private static func atom(_ type: String, _ content: [UInt8]) -> [UInt8] { big(8 + content.count) + Array(type.utf8) + content }
    private static func number(_ bytes: some Collection<UInt8>) -> Int { bytes.reduce(0) { $0 << 8 | Int($1) } }

    /// The first box of this type, with its header.
    private static func box(_ file: [UInt8], _ type: String) throws -> [UInt8] {
        guard let found = Data(file).range(of: Data(type.utf8)), found.lowerBound >= 4 else { throw Tool.Failed(description: "no \(type)") }
        let start = found.lowerBound - 4
        return Array(file[start..<start + number(file[start..<start + 4])])
    }

    /// One decodable frame of the file.
    private static func frame(of real: [UInt8]) throws -> [UInt8] {
        let sizes = try box(real, "stsz")
        let start = number(try box(real, "stco")[16..<20])
        let all = (0..<number(sizes[16..<20])).map { number(sizes[(20 + 4 * $0)..<(24 + 4 * $0)]) }
        let before = all.prefix(5).reduce(start, +)
        return Array(real[before..<before + all[5]])
    }
}
