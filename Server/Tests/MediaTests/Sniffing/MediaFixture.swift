import Foundation
import Media
import TestKit
import Testing

/// A small real file beside the tests; `Fixtures/make-fixtures.sh` generates them.
struct MediaFixture: CustomTestStringConvertible, Sendable {
    let name: String
    let type: MediaType?
    /// True when a shorter file of this kind may be complete: a recording that ends earlier, a picture without its trailer, a video
    /// without its last fragment.
    var canBeShorter = false

    var testDescription: String { name }

    static let folder = RealFile.folder

    func bytes() throws -> [UInt8] { try RealFile.bytes(name) }

    static let accepted: [MediaFixture] = [
        .init(name: "photo.jpg", type: .jpeg),
        .init(name: "baseline.jpg", type: .jpeg),
        .init(name: "progressive.jpg", type: .jpeg),
        .init(name: "cmyk.jpg", type: .jpeg),
        .init(name: "ffmpeg.jpg", type: .jpeg),
        .init(name: "restarts.jpg", type: .jpeg),
        .init(name: "exif-first.jpg", type: .jpeg),
        .init(name: "motion-photo.jpg", type: .jpeg, canBeShorter: true),
        .init(name: "samsung.jpg", type: .jpeg, canBeShorter: true),
        .init(name: "palette.png", type: .png),
        .init(name: "alpha.png", type: .png),
        .init(name: "interlaced-1bit.png", type: .png),
        .init(name: "deep.png", type: .png),
        .init(name: "animated.png", type: .png),
        .init(name: "lossy.webp", type: .webp),
        .init(name: "lossless.webp", type: .webp),
        .init(name: "alpha.webp", type: .webp),
        .init(name: "animated.webp", type: .webp),
        .init(name: "still87a.gif", type: .gif),
        .init(name: "animated89a.gif", type: .gif),
        .init(name: "libheif.heic", type: .heic),
        .init(name: "libheif-new.heic", type: .heic),
        .init(name: "vips.heic", type: .heic),
        .init(name: "tiles.heic", type: .heic),
        .init(name: "sequence.heic", type: .heic, canBeShorter: true),
        .init(name: "generic-brand.heic", type: .heic),
        .init(name: "jpeg-coded.heif", type: .heif),
        .init(name: "moov-last.mp4", type: .mp4),
        .init(name: "moov-first.mp4", type: .mp4),
        .init(name: "fragmented.mp4", type: .mp4, canBeShorter: true),
        .init(name: "mp42.mp4", type: .mp4),
        .init(name: "m4v.mp4", type: .mp4),
        .init(name: "psp.mp4", type: .mp4),
        .init(name: "branded.mov", type: .mov),
        .init(name: "old-free-first.mov", type: .mov),
        .init(name: "old-moov-first.mov", type: .mov),
        .init(name: "tagged.mp3", type: .mp3, canBeShorter: true),
        .init(name: "bare.mp3", type: .mp3, canBeShorter: true),
        .init(name: "variable.mp3", type: .mp3, canBeShorter: true),
        .init(name: "covered.mp3", type: .mp3, canBeShorter: true),
        .init(name: "voice.m4a", type: .m4a),
        .init(name: "book.m4a", type: .m4a),
        .init(name: "plain.wav", type: .wav),
        .init(name: "mulaw.wav", type: .wav),
        .init(name: "float.wav", type: .wav),
        .init(name: "streamed.wav", type: .wav, canBeShorter: true),
    ]

    /// Everything in `Fixtures/refused`.
    static let refused: [MediaFixture] = {
        let names = (try? FileManager.default.contentsOfDirectory(atPath: folder.appending(path: "refused").path)) ?? []
        return names.sorted().map { MediaFixture(name: "refused/\($0)", type: nil) }
    }()

    static let all = accepted + refused
}

extension Sniffer {
    /// Verifies a file as a caller who has all of its bytes does.
    static func verify(_ file: some RandomAccessCollection<UInt8>) -> MediaType? {
        verify(head: file.prefix(windowByteCount), tail: file.suffix(tailByteCount), byteCount: file.count)
    }
}
