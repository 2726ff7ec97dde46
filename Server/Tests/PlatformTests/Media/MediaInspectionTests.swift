import CMedia
import Foundation
import MediaFrames
import MediaTools
import TestKit
import TestThreads
import Testing

@Suite("Image inspection", .blocksThreads)
struct MediaInspectionTests {
    typealias Expected = (name: String, facts: ImageFacts)

    static func facts(_ kind: PictureKind, _ width: Int, _ height: Int, frames: Int = 1, alpha: Bool = false) -> ImageFacts {
        ImageFacts(kind: kind, width: width, height: height, frames: frames, hasAlpha: alpha)
    }

    static let kinds: [Expected] = [
        ("baseline.jpg", facts(.jpeg, 64, 48)), ("progressive.jpg", facts(.jpeg, 64, 48)), ("cmyk.jpg", facts(.jpeg, 64, 48)),
        ("ffmpeg.jpg", facts(.jpeg, 64, 48)), ("restarts.jpg", facts(.jpeg, 64, 48)), ("motion-photo.jpg", facts(.jpeg, 64, 48)),
        ("samsung.jpg", facts(.jpeg, 64, 48)),
        // Orientation 8: the stored picture is rotated by 90°.
        ("exif-first.jpg", facts(.jpeg, 48, 64)),
        ("palette.png", facts(.png, 64, 48)), ("alpha.png", facts(.png, 24, 18, alpha: true)), ("deep.png", facts(.png, 16, 12)),
        ("interlaced-1bit.png", facts(.png, 64, 48)), ("animated.png", facts(.png, 32, 32)),
        ("lossy.webp", facts(.webp, 64, 48)), ("lossless.webp", facts(.webp, 64, 48)), ("alpha.webp", facts(.webp, 24, 18, alpha: true)),
        ("animated.webp", facts(.webp, 32, 32, frames: 3, alpha: true)),
        ("still87a.gif", facts(.gif, 64, 48)), ("animated89a.gif", facts(.gif, 32, 32, frames: 3, alpha: true)),
        ("libheif.heic", facts(.heic, 64, 48)), ("vips.heic", facts(.heic, 64, 48)), ("generic-brand.heic", facts(.heic, 64, 48)),
        ("libheif-new.heic", facts(.heic, 64, 48)), ("tiles.heic", facts(.heic, 192, 128)),
        ("sequence.heic", facts(.heic, 32, 32, alpha: true)), ("refused/still.avif", facts(.avif, 64, 48)),
    ]

    @Test("Each image format is detected by its content, with its size, frames and transparency")
    func everyKind() async throws {
        try await WorkerFixture.run { workers in
            for (name, expected) in Self.kinds {
                let facts = try await workers.inspect(WorkerFixture.bytes(name))
                #expect(facts == expected, "\(name)")
            }
        }
    }

    @Test("A photo's width and height apply after its rotation, and its date is the camera's")
    func photo() async throws {
        try await WorkerFixture.run { workers in
            let facts = try await workers.inspect(WorkerFixture.bytes("photo.jpg"))
            #expect((facts.width, facts.height) == (480, 640))
            #expect(facts.captureTime == CaptureTime(local: "2025:06:14 18:30:12", offset: "+02:00"))
            // date -u -d 2025-06-14T16:30:12Z +%s
            #expect(facts.captureTime?.seconds() == 1_749_918_612)
        }
    }

    @Test("The fraction of the second that the camera wrote is kept in milliseconds")
    func fractions() async throws {
        try await WorkerFixture.run { workers in
            let plain = Data(try WorkerFixture.bytes("baseline.jpg"))
            for (fraction, milliseconds) in [
                ("5", 500), ("12 ", 120), ("123", 123), ("007", 7), ("123456", 123), (String(repeating: "9", count: 63), 999), ("1x", 0),
                (" ", 0), (nil, 0),
            ] as [(String?, Int)] {
                let photo = DatedPhoto.make(plain, taken: "2025:06:14 18:30:12", offset: "+02:00", fraction: fraction)
                let facts = try await workers.inspect(Array(photo))
                #expect(
                    facts.captureTime == CaptureTime(local: "2025:06:14 18:30:12", offsetMinutes: 120, milliseconds: milliseconds),
                    "\(fraction ?? "none")")
            }
        }
        #expect(CaptureTime(local: "2025:06:14 18:30:12", offsetMinutes: nil, milliseconds: 1_000) == nil)
    }

    @Test("The caller keeps its descriptor, and the worker neither uses nor moves its offset")
    func offset() async throws {
        try await WorkerFixture.run { workers in
            let file = try MemoryFile(WorkerFixture.bytes("baseline.jpg"))
            for _ in 0..<3 {
                let facts = try await workers.inspect(file.descriptor)
                #expect(facts.width == 64)
            }
        }
    }

    @Test("A file that is no supported image is refused, whatever its type claims")
    func noPictures() async throws {
        let names = [
            "refused/page.html", "refused/page.html.gz", "refused/page.pdf", "refused/picture.svg", "refused/picture.bmp",
            "refused/picture.tiff", "refused/picture.ppm", "refused/picture.psd", "refused/picture.jp2", "refused/picture.ico",
            "refused/archive.zip", "refused/archive.tar", "refused/program.elf", "refused/film.webm", "refused/voice.flac",
            "moov-first.mp4",
            "branded.mov", "tagged.mp3", "plain.wav",
        ]
        try await WorkerFixture.run { workers in
            for name in names {
                let failure = try await workers.failure(WorkerFixture.bytes(name))
                #expect(failure == .refused(.unreadable), "\(name)")
            }
            try await Self.refused(workers, [], .refused(.empty))
            try await Self.refused(workers, Array("GIF89a".utf8), .refused(.unreadable))
            try await Self.refused(workers, [0xFF, 0xD8, 0xFF], .refused(.unreadable))
        }
    }

    static func refused(_ workers: MediaWorkers, _ bytes: [UInt8], _ expected: MediaFailure) async throws {
        let failure = try await workers.failure(bytes)
        #expect(failure == expected)
    }

    @Test("A file truncated anywhere is refused or inspected correctly, and costs no worker")
    func cut() async throws {
        let names = ["photo.jpg", "alpha.png", "lossy.webp", "animated.webp", "animated89a.gif", "libheif.heic", "progressive.jpg"]
        try await WorkerFixture.run {
            $0.jobsPerWorker = 10_000
        } _: { workers in
            let worker = try await WorkerFixture.process(workers)
            for name in names {
                let whole = try WorkerFixture.bytes(name)
                let facts = try await workers.inspect(whole)
                for cut in stride(from: 1, to: whole.count, by: max(1, whole.count / 40)) {
                    let part = Array(whole[..<cut])
                    if let found = try? await workers.inspect(part) {
                        #expect((found.kind, found.width, found.height) == (facts.kind, facts.width, facts.height), "\(name) cut at \(cut)")
                    }
                    do {
                        _ = try await workers.variant(part, VariantRequest(width: 16, height: 16, format: .webp))
                    } catch let failure as MediaFailure {
                        #expect(failure == .refused(.unreadable), "\(name) cut at \(cut)")
                    }
                }
            }
            #expect(workers.processes == [worker])
        }
    }

    @Test("Bytes after a picture's end change nothing")
    func trailing() async throws {
        try await WorkerFixture.run { workers in
            for name in ["baseline.jpg", "alpha.png", "lossy.webp", "animated89a.gif", "libheif.heic"] {
                let whole = try WorkerFixture.bytes(name)
                let facts = try await workers.inspect(whole)
                let found = try? await workers.inspect(whole + Array("<script>alert(1)</script>".utf8))
                // A HEIF consists of boxes to its end, so an incomplete box makes the file invalid or its metadata unreadable.
                var unread = facts
                unread.mayHavePosition = true
                #expect(found == facts || (facts.kind == .heic && (found == nil || found == unread)), "\(name)")
            }
        }
    }
}
