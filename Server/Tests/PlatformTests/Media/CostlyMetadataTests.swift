import Foundation
import MediaFrames
import TestThreads
import Testing

@testable import MediaTools

/// Small files whose metadata take the libraries a second or more.
@Suite("Costly metadata", .blocksThreads)
struct CostlyMetadataTests {
    private static func number(_ value: Int, _ count: Int, isBig: Bool) -> [UInt8] {
        let bytes = (0..<count).map { UInt8(truncatingIfNeeded: value >> (8 * $0)) }
        return isBig ? bytes.reversed() : bytes
    }

    private static let pointers = [0x8769, 0x8825, 0xA005]
    private typealias Directory = [(tag: Int, value: Int)]

    /// An EXIF block of these directories. The value of a pointer is the index of a directory.
    /// - Parameter next: the index of the directory after the first one.
    private static func block(_ directories: [Directory], next: Int? = nil, isBig: Bool = false) -> [UInt8] {
        var offsets: [Int] = []
        var end = 8
        for directory in directories {
            offsets.append(end)
            end += 2 + 12 * directory.count + 4
        }
        var block = Array((isBig ? "MM" : "II").utf8)
        block += number(42, 2, isBig: isBig)
        block += number(8, 4, isBig: isBig)
        for (index, directory) in directories.enumerated() {
            block += number(directory.count, 2, isBig: isBig)
            for (tag, value) in directory {
                block += number(tag, 2, isBig: isBig)
                block += number(4, 2, isBig: isBig)
                block += number(1, 4, isBig: isBig)
                block += number(Self.pointers.contains(tag) ? offsets[value] : value, 4, isBig: isBig)
            }
            var following = 0
            if index == 0, let next { following = offsets[next] }
            block += number(following, 4, isBig: isBig)
        }
        return block
    }

    /// A JPEG with a segment for each of these EXIF blocks.
    private static func jpeg(_ blocks: [UInt8]...) throws -> [UInt8] {
        let photo = try WorkerFixture.bytes("baseline.jpg")
        var picture = Array(photo[..<2])
        for block in blocks {
            picture += [0xFF, 0xE1]
            picture += number(2 + 6 + block.count, 2, isBig: true)
            picture += Array("Exif\0\0".utf8)
            picture += block
        }
        picture += photo[2...]
        return picture
    }

    @Test("a picture with all directories that cameras write is read, in either byte order", arguments: [false, true])
    func ordinary(isBig: Bool) async throws {
        let directories: [Directory] = [
            [(0x0112, 6), (0x8769, 1), (0x8825, 2)], [(0xA002, 8), (0xA005, 3)], [(0x0000, 0x0302)], [(0x0002, 0x3031)], [(0x0103, 6)],
        ]
        let picture = try Self.jpeg(Self.block(directories, next: 4, isBig: isBig))
        let upright = try WorkerFixture.bytes("baseline.jpg")
        try await WorkerFixture.run { workers in
            let plain = try await workers.inspect(upright)
            let facts = try await workers.inspect(picture)
            #expect((facts.width, facts.height) == (plain.height, plain.width), "the block turns the picture")
        }
    }

    @Test("EXIF directories that point to themselves, too many of them, and too many entries are refused")
    func directories() async throws {
        func chain(_ count: Int) -> [UInt8] {
            var directories: [Directory] = (1..<count).map { [(tag: 0x8769, value: $0)] }
            directories.append([(0x0112, 1)])
            return Self.block(directories)
        }
        let long: Directory = (0..<5_000).map { (tag: 0x9000 + $0 % 4_096, value: 1) }
        let longer: Directory = long + [(tag: 0x9000, value: 1)]
        let turns: Directory = (0..<1_000).map { (tag: Self.pointers[$0 % 3], value: 0) }
        let plain: Directory = [(0x0112, 1)]
        let toFirst: Directory = [(0x8769, 0)]
        let toSecond: Directory = [(0x8825, 1)]
        let alsoToFirst: Directory = [(0xA005, 0)]
        let cases: [(name: String, picture: [UInt8], isRefused: Bool)] = try [
            ("one pointer to itself", Self.jpeg(Self.block([toFirst])), true),
            ("a thousand pointers", Self.jpeg(Self.block([turns])), true),
            ("a thousand pointers, the other byte order", Self.jpeg(Self.block([turns], isBig: true)), true),
            ("a circle in the second directory", Self.jpeg(Self.block([plain, toSecond], next: 1)), true),
            ("a circle of two", Self.jpeg(Self.block([toSecond, alsoToFirst])), true),
            ("a circle in the second block", Self.jpeg(Self.block([plain]), Self.block([turns])), true),
            ("16 directories", Self.jpeg(chain(16)), false), ("17 directories", Self.jpeg(chain(17)), true),
            ("10,000 entries", Self.jpeg(Self.block([long]), Self.block([long])), false),
            ("10,001 entries", Self.jpeg(Self.block([long]), Self.block([longer])), true),
        ]
        try await WorkerFixture.run { workers in
            for (name, picture, isRefused) in cases {
                let failure = try await workers.failure(picture)
                let expected: MediaFailure? = isRefused ? .refused(.tooManyParts) : nil
                #expect(failure == expected, "\(name)")
            }
        }
    }

    @Test("such a directory is refused in every format that has EXIF", arguments: ["jpg", "png", "webp", "heic"])
    func formats(suffix: String) async throws {
        var picture = try WorkerFixture.bytes("position-exif.\(suffix)", in: WorkerFixture.own)
        // The pointer to the second directory then names the first one, in which it is.
        let pointer = try #require(Data(picture).range(of: Data([0x69, 0x87, 4, 0, 1, 0, 0, 0]))).upperBound
        picture.replaceSubrange(pointer..<pointer + 4, with: [8, 0, 0, 0])
        let circle = picture
        try await WorkerFixture.run { workers in
            let failure = try await workers.failure(circle)
            #expect(failure == .refused(.tooManyParts))
        }
    }

    /// zlib's form of `count` times 258 equal letters, without the checksum (RFC 1951 §3.2.6).
    private static func deflated(_ count: Int) -> [UInt8] {
        // The last block, with fixed codes, and the letter.
        var bits: [UInt8] = [1, 1, 0, 1, 0, 0, 1, 0, 0, 0, 1]
        // Each time, 258 bytes from one byte before.
        for _ in 0..<count { bits += [1, 1, 0, 0, 0, 1, 0, 1, 0, 0, 0, 0, 0] }
        bits += [0, 0, 0, 0, 0, 0, 0]
        var bytes: [UInt8] = [0x78, 0xDA]
        for start in stride(from: 0, to: bits.count, by: 8) {
            var byte: UInt8 = 0
            for index in start..<min(start + 8, bits.count) { byte |= bits[index] << UInt8(index - start) }
            bytes.append(byte)
        }
        return bytes
    }

    @Test("a PNG whose texts and profiles inflate to more than 16 MB together is refused")
    func inflated() async throws {
        let palette = try WorkerFixture.bytes("palette.png")
        // 8.3 MB.
        let data = Self.deflated(32_000)
        let cases: [(name: String, head: [UInt8], count: Int, isRefused: Bool)] = [
            ("zTXt", Array("a\0\0".utf8), 2, false), ("zTXt", Array("a\0\0".utf8), 3, true),
            ("iTXt", Array("XML:com.adobe.xmp\0\u{1}\0\0\0".utf8), 3, true),
            ("iTXt", Array("XML:com.adobe.xmp\0\u{1}\0en\0name\0".utf8), 3, true), ("iCCP", Array("a\0\0".utf8), 3, true),
            // Not compressed.
            ("iTXt", Array("XML:com.adobe.xmp\0\0\0\0\0".utf8), 3, false),
        ]
        try await WorkerFixture.run { workers in
            for (name, head, count, isRefused) in cases {
                let body = head + data
                // The checksum is wrong, but the worker counts before anything checks it.
                let chunk = Self.number(body.count, 4, isBig: true) + Array(name.utf8) + body + [0, 0, 0, 0]
                var picture = Array(palette[..<33])
                for _ in 0..<count { picture += chunk }
                picture += palette[33...]
                let failure = try await workers.failure(picture)
                #expect((failure == .refused(.tooManyParts)) == isRefused, "\(count) of \(name): \(String(describing: failure))")
            }
        }
    }

    @Test("a WAV of 10,000 chunks is read, and one more is refused before it is decoded")
    func chunks() async throws {
        let wave = try WorkerFixture.bytes("plain.wav")
        // Its own chunks are the format and the sound.
        let cases: [(count: Int, isRefused: Bool)] = [(10_000 - 2, false), (10_000 - 1, true)]
        try await WorkerFixture.run { workers in
            for (count, isRefused) in cases {
                var recording = wave
                for _ in 0..<count { recording += [0x6A, 0x75, 0x6E, 0x6B, 0, 0, 0, 0] }
                let file = try MemoryFile(recording)
                do {
                    _ = try await workers.perform(.picture(.sound), file.descriptor, .inspection)
                    #expect(!isRefused, "\(count) more chunks")
                } catch {
                    #expect(error as? MediaFailure == .refused(.tooManyParts) && isRefused, "\(count) more chunks: \(error)")
                }
            }
        }
    }
}
