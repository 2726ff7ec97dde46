import Core
import Foundation
import MediaFrames
import TestKit
import TestThreads
import Testing

@testable import MediaTools

@Suite("Copies of films for browsers", .blocksThreads)
struct FilmConverterTests {
    private static let films: [(name: String, encoder: String, isPlayed: Bool)] = [
        ("h264.mp4", "-c:v libx264 -pix_fmt yuv420p -c:a aac", true), ("h264.mov", "-c:v libx264 -pix_fmt yuv420p -c:a aac", true),
        ("silent.mp4", "-an -c:v libx264 -pix_fmt yuv420p", true), ("mp3.mp4", "-c:v libx264 -pix_fmt yuv420p -c:a libmp3lame", true),
        ("vp9.mp4", "-c:v libvpx-vp9 -deadline realtime -cpu-used 8 -pix_fmt yuv420p -c:a libopus", true),
        ("av1.mp4", "-c:v libaom-av1 -usage realtime -cpu-used 8 -pix_fmt yuv420p -an", true),
        ("hevc.mp4", "-c:v libx265 -tag:v hvc1 -c:a aac", false), ("hevc.mov", "-c:v libx265 -tag:v hev1 -an", false),
        ("high10.mp4", "-c:v libx264 -pix_fmt yuv420p10le -an", false), ("444.mp4", "-c:v libx264 -pix_fmt yuv444p -an", false),
        ("vp9-10.mp4", "-c:v libvpx-vp9 -deadline realtime -cpu-used 8 -pix_fmt yuv420p10le -an", false),
        ("pcm.mov", "-c:v libx264 -pix_fmt yuv420p -c:a pcm_s16le", false), ("mjpeg.mov", "-c:v mjpeg -pix_fmt yuvj420p -an", false),
        ("prores.mov", "-c:v prores_ks -an", false), ("ac3.mp4", "-c:v libx264 -pix_fmt yuv420p -c:a ac3", false),
    ]

    @Test("a film's codecs decide whether browsers play it")
    func codecs() async throws {
        let folder = try TemporaryFolder()
        let path = folder.path
        try FilmMaker.make(Self.films.map { (path: path + "/" + $0.name, arguments: "-t 0.2 " + $0.encoder) }, size: "160x90")
        try await WorkerFixture.run { workers in
            for (name, _, isPlayed) in Self.films {
                let file = try MemoryFile(WorkerFixture.bytes(name, in: URL(filePath: path)))
                #expect(try await workers.videoFacts(file.descriptor).playsInBrowsers == isPlayed, "\(name)")
            }
        }
        withExtendedLifetime(folder) {}
    }

    @Test("a film without a description of its codecs is neither")
    func unknown() async throws {
        try await WorkerFixture.run { workers in
            let file = try MemoryFile([UInt8](Film.bytes(4_000)))
            #expect(try await workers.videoFacts(file.descriptor).playsInBrowsers == nil)
        }
    }

    /// Converts a film.
    /// - Returns: the facts and the bytes of the file that `convert` writes.
    private func converted(_ film: Data, _ limits: FilmConverter.Limits = .init()) async throws -> (facts: VideoFacts, bytes: Data) {
        let folder = try TemporaryFolder()
        let path = folder.path + "/copy.mp4"
        _ = FileManager.default.createFile(atPath: path, contents: nil)
        let output = try FileHandle(forUpdating: URL(filePath: path))
        let facts = try await WorkerFixture.run { workers in
            let input = try MemoryFile([UInt8](film))
            let facts = try await workers.videoFacts(input.descriptor)
            try await FilmConverter(WorkerFixture.options, limits).convert(input.descriptor, facts, to: output.fileDescriptor)
            return try await workers.videoFacts(output.fileDescriptor)
        }
        return (facts, try Data(contentsOf: URL(filePath: path)))
    }

    @Test("the copy is H.264 and AAC, at most 1080p and 30 frames a second, upright, with its index first and without metadata")
    func form() async throws {
        let folder = try TemporaryFolder()
        let film = try FilmMaker.make(
            folder.path + "/film.mov",
            "-t 0.2 -r 60 -pix_fmt yuv420p10le -c:v libx264 -preset ultrafast -c:a pcm_s16le -ac 1",
            size: "2048x1152", isLying: true)
        #expect(film.range(of: Data("+52.5163".utf8)) != nil, "its control")
        let (facts, copy) = try await converted(film)
        #expect(facts.playsInBrowsers == true && facts.range == .standard)
        #expect((facts.width, facts.height) == (1_080, 1_920))
        let probed = try FilmMaker.probe(copy, in: folder.path)
        #expect(probed["video"] == "h264 High yuv420p 1080 1920 30/1", "\(probed)")
        #expect(probed["audio"] == "aac LC 2", "\(probed)")
        let milliseconds = try #require(facts.milliseconds)
        #expect(150...400 ~= milliseconds)
        let index = try #require(copy.range(of: Data("moov".utf8))), media = try #require(copy.range(of: Data("mdat".utf8)))
        #expect(index.lowerBound < media.lowerBound)
        for trace in ["52.5163", "13.3777", "Ada's phone", "mvex", "moof", "location", "creation"] {
            #expect(copy.range(of: Data(trace.utf8)) == nil, "\(trace)")
        }
    }

    @Test("a film of few frames keeps its rate and size, one with a high dynamic range becomes an ordinary one")
    func ranges() async throws {
        let folder = try TemporaryFolder()
        let slow = try FilmMaker.make(folder.path + "/slow.mp4", "-t 1 -r 12 -c:v libx265 -preset ultrafast -tag:v hvc1 -an")
        let (facts, copy) = try await converted(slow)
        #expect((facts.width, facts.height, facts.hasSound) == (320, 180, false))
        #expect(try FilmMaker.probe(copy, in: folder.path)["video"] == "h264 High yuv420p 320 180 12/1")
        let colours = "-color_primaries bt2020 -color_trc arib-std-b67 -colorspace bt2020nc"
        let bright = try FilmMaker.make(
            folder.path + "/hlg.mov",
            "-t 0.4 -pix_fmt yuv420p10le -c:v libx265 -preset ultrafast -tag:v hvc1 \(colours) -movflags +write_colr -an")
        try await WorkerFixture.run { workers in
            let input = try MemoryFile([UInt8](bright))
            #expect(try await workers.videoFacts(input.descriptor).range == .hlg)
        }
        let ordinary = try await converted(bright).bytes
        #expect(try FilmMaker.probe(ordinary, in: folder.path)["colours"] == "bt709 bt709")
    }

    @Test("a conversion ends at its limits of time and of bytes, and a film that cannot be decoded is refused")
    func limits() async throws {
        let folder = try TemporaryFolder()
        let (long, short) = (try FilmMaker.long(), try FilmMaker.hevc(folder.path + "/short.mp4"))
        var limits = FilmConverter.Limits()
        limits.time = .milliseconds(100)
        await #expect(throws: MediaFailure.timedOut) { try await converted(long, limits) }
        limits = .init()
        limits.byteCount = 4_000
        await #expect(throws: MediaFailure.refused(.tooManyBytes)) { try await converted(short, limits) }
        let damaged = try FilmMaker.damaged(short)
        await #expect(throws: MediaFailure.refused(.unreadable)) { try await converted(damaged) }
    }

    @Test("a long film gets fewer bits and pixels, so that its copy stays within the limit")
    func rates() {
        func frame(_ minutes: Int) -> FilmConverter.Frame { FilmConverter.frame(milliseconds: minutes * 60_000, byteCount: 256 << 20) }
        #expect(frame(1) == .init(long: 1_920, short: 1_080, rate: 8_000_000))
        #expect(frame(18).short == 1_080 && frame(30).short == 720 && frame(60).short == 480)
        for minutes in [5, 10, 30, 60, 120] {
            #expect((frame(minutes).rate + 128_000) / 8 * minutes * 60 <= 256 << 20, "\(minutes)")
        }
    }

    @Test("ffmpeg is asked for its encoders and filters")
    func probe() async throws {
        let words = try await FilmConverter(WorkerFixture.options).probe()
        #expect(words == "films that browsers do not play get a copy in H.264")
    }
}
