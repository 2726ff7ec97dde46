import Foundation
import MediaFrames
import TestKit
import TestThreads
import Testing

@testable import MediaTools

@Suite("Video and audio", .blocksThreads)
struct MediaFilmTests {
    private static let request = VariantRequest(width: 64, height: 64, format: .jpeg)

    @Test("A video's size and duration are found, and a copy of its first frame, which is never enlarged, is one job")
    func films() async throws {
        try await WorkerFixture.run { workers in
            for name in ["moov-last.mp4", "moov-first.mp4", "mp42.mp4", "m4v.mp4", "branded.mov", "fragmented.mp4"] {
                let file = try MemoryFile(WorkerFixture.bytes(name))
                let facts = try await workers.videoFacts(file.descriptor)
                #expect((facts.width, facts.height) == (32, 32), "\(name)")
                let seconds = Double(try #require(facts.milliseconds)) / 1_000
                #expect((0.2...0.7).contains(seconds), "\(name)")
                let taken = workers.taken
                let copy = try await workers.variant(ofFilm: file.descriptor, Self.request)
                #expect((copy.width, copy.height) == (32, 32) && workers.taken == taken + 1, "\(name)")
                #expect(try WorkerFixture.look(copy.bytes, "jpg").width == 32, "\(name)")
            }
        }
    }

    @Test("Any number that ffprobe prints as the rotation is read")
    func rotations() {
        for (rotation, width) in [("-90", 16), ("270", 16), ("180", 32), ("-9223372036854775808", 32), ("9223372036854775808", 32)] {
            #expect(VideoFacts(Array("width=32\nheight=16\nrotation=\(rotation)\n".utf8))?.width == width, "\(rotation)")
        }
    }

    @Test("Figures: a video of 50 MB by its boxes, one in fragments by ffprobe, and variants of a photo in each format")
    func figures() async throws {
        try await WorkerFixture.run { workers in
            func milliseconds(_ count: Int, _ body: () async throws -> Void) async throws -> Double {
                try await body()
                let time = try await ContinuousClock().measure { for _ in 0..<count { try await body() } }
                return time / .milliseconds(count)
            }
            let film = try MemoryFile([UInt8](Film.bytes(50 * 1_048_576)))
            let fragments = try MemoryFile(WorkerFixture.bytes("fragmented.mp4"))
            let photo = try MemoryFile(WorkerFixture.bytes("photo.jpg"))
            let (boxes, probed) = try await Figure.measured(until: { $0 < $1 }) {
                (
                    try await milliseconds(50) { _ = try await workers.videoFacts(film.descriptor) },
                    try await milliseconds(5) { _ = try await workers.videoFacts(fragments.descriptor) }
                )
            }
            var copies: [String] = []
            for format in VariantRequest.Format.allCases {
                let request = VariantRequest(width: 384, height: 384, format: format)
                let time = try await milliseconds(3) { _ = try await workers.variant(photo.descriptor, request) }
                copies.append("\(format.rawValue) \(time) ms")
            }
            print("a film by its boxes \(boxes) ms, by ffprobe \(probed) ms; 480 by 640 to 384: \(copies.joined(separator: ", "))")
            #expect(boxes < probed)
        }
    }

    @Test("An audio file's duration is exact, and its peaks match the signal")
    func sounds() async throws {
        try await WorkerFixture.run { workers in
            for name in [
                "tagged.mp3", "bare.mp3", "variable.mp3", "covered.mp3", "voice.m4a", "book.m4a", "plain.wav", "mulaw.wav", "moov-last.mp4",
            ] {
                let file = try MemoryFile(WorkerFixture.bytes(name))
                let facts = try await workers.audioFacts(file.descriptor)
                #expect((0.2...0.4).contains(facts.duration / .seconds(1)), "\(name)")
                // The signal is a sine at an eighth of full scale. AAC overshoots at its beginning.
                #expect(facts.peaks.count == 200 && (20...60).contains(facts.peaks.sorted()[100]), "\(name)")
                let speech = try await workers.speech(file.descriptor)
                #expect(abs(Double(speech.count) / 32_000 - facts.duration / .seconds(1)) < 0.05, "\(name)")
            }
        }
    }

    @Test("ffmpeg writes sound for a waveform in large pieces and resamples it with a short filter, which halves its processor time")
    func soundArguments() {
        let arguments = MediaWorkers.peaksDecoding.joined(separator: " ")
        #expect(arguments.contains("-flush_packets 0") && arguments.contains("aresample=4000:filter_size=8"))
    }

    @Test("A file that is no video, no audio, or a playlist of other files, is refused and costs no worker")
    func refused() async throws {
        let playlist = Array("#EXTM3U\n#EXT-X-TARGETDURATION:1\n#EXTINF:1,\nfile:///etc/passwd\n#EXT-X-ENDLIST\n".utf8)
        let concat = Array("ffconcat version 1.0\nfile /etc/passwd\n".utf8)
        try await WorkerFixture.run { workers in
            let worker = try await WorkerFixture.process(workers)
            for bytes in try [
                playlist, concat, [], [UInt8](repeating: 0, count: 100_000), WorkerFixture.bytes("photo.jpg"),
                WorkerFixture.bytes("refused/film.webm"),
                Array(WorkerFixture.bytes("moov-last.mp4").prefix(1500)),
            ] {
                let file = try MemoryFile(bytes)
                let isEmpty = bytes.isEmpty
                await #expect(throws: MediaFailure.refused(isEmpty ? .empty : .unreadable)) {
                    _ = try await workers.videoFacts(file.descriptor)
                }
                await #expect(throws: MediaFailure.refused(.unreadable)) {
                    _ = try await workers.variant(ofFilm: file.descriptor, Self.request)
                }
                await #expect(throws: MediaFailure.refused(isEmpty ? .empty : .unreadable)) {
                    _ = try await workers.audioFacts(file.descriptor)
                }
            }
            #expect(workers.processes == [worker])
        }
    }

    @Test("A decoder that takes too long is killed")
    func slow() async throws {
        let file = try MemoryFile([1])
        try await WorkerFixture.run { options in
            options.ffmpeg = WorkerFixture.here.appending(path: "slow-tool.sh").path
            options.jobTimeout = .milliseconds(400)
        } _: { workers in
            await #expect(throws: MediaFailure.timedOut) { _ = try await workers.variant(ofFilm: file.descriptor, Self.request) }
        }
    }
}
