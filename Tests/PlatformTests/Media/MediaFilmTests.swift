import Foundation
import MediaFrames
import MediaTools
import Testing

@Suite("Films and sounds")
struct MediaFilmTests {
    @Test("A film's size and length are found, and its first picture is a JPEG of that size")
    func films() async throws {
        try await MediaWorkshop.run { workers in
            for name in ["moov-last.mp4", "moov-first.mp4", "mp42.mp4", "m4v.mp4", "branded.mov", "fragmented.mp4"] {
                let file = try MemoryFile(MediaWorkshop.bytes(name))
                let facts = try await workers.filmFacts(file.descriptor)
                #expect((facts.width, facts.height) == (32, 32), "\(name)")
                let seconds = try #require(facts.duration) / .seconds(1)
                #expect((0.2...0.7).contains(seconds), "\(name)")
                let poster = try await workers.inspect(workers.poster(file.descriptor))
                #expect(poster == MediaInspectionTests.facts(.jpeg, 32, 32), "\(name)")
            }
        }
    }

    @Test("A sound's length is counted, and its peaks are those of what is heard")
    func sounds() async throws {
        try await MediaWorkshop.run { workers in
            for name in [
                "tagged.mp3", "bare.mp3", "variable.mp3", "covered.mp3", "voice.m4a", "book.m4a", "plain.wav", "mulaw.wav", "moov-last.mp4",
            ] {
                let file = try MemoryFile(MediaWorkshop.bytes(name))
                let facts = try await workers.soundFacts(file.descriptor)
                #expect((0.2...0.4).contains(facts.duration / .seconds(1)), "\(name)")
                // A sine of an eighth of full scale; AAC overshoots where it begins.
                #expect(facts.peaks.count == 200 && (20...60).contains(facts.peaks.sorted()[100]), "\(name)")
                let speech = try await workers.speech(file.descriptor)
                #expect(abs(Double(speech.count) / 32_000 - facts.duration / .seconds(1)) < 0.05, "\(name)")
            }
        }
    }

    @Test("What is no film, no sound, or a list of other files, is refused, and costs no worker")
    func refused() async throws {
        let playlist = Array("#EXTM3U\n#EXT-X-TARGETDURATION:1\n#EXTINF:1,\nfile:///etc/passwd\n#EXT-X-ENDLIST\n".utf8)
        let concat = Array("ffconcat version 1.0\nfile /etc/passwd\n".utf8)
        try await MediaWorkshop.run { workers in
            let worker = try await MediaWorkshop.process(workers)
            for bytes in try [
                playlist, concat, [], [UInt8](repeating: 0, count: 100_000), MediaWorkshop.bytes("photo.jpg"),
                MediaWorkshop.bytes("refused/film.webm"),
                Array(MediaWorkshop.bytes("moov-last.mp4").prefix(1500)),
            ] {
                let file = try MemoryFile(bytes)
                await #expect(throws: MediaFailure.refused(.unreadable)) { _ = try await workers.filmFacts(file.descriptor) }
                await #expect(throws: MediaFailure.refused(.unreadable)) { _ = try await workers.poster(file.descriptor) }
                await #expect(throws: MediaFailure.refused(.unreadable)) { _ = try await workers.soundFacts(file.descriptor) }
            }
            #expect(workers.processes == [worker])
        }
    }

    @Test("A decoder that takes too long is ended")
    func slow() async throws {
        let file = try MemoryFile([1])
        try await MediaWorkshop.run { options in
            options.ffmpeg = MediaWorkshop.here.appending(path: "slow-tool.sh").path
            options.jobTimeout = .milliseconds(400)
        } _: { workers in
            await #expect(throws: MediaFailure.timedOut) { _ = try await workers.poster(file.descriptor) }
        }
    }
}
