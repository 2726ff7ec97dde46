import CMedia
import Core
import Foundation
import MediaFrames
import TestKit
import TestThreads
import Testing

@testable import MediaTools

@Suite("Fairness of media workers", .blocksThreads, .runsAlone)
struct MediaFairnessTests {
    private static func delay(_ grace: Duration, isHungUp: Bool) async throws -> Duration {
        let photo = try WorkerFixture.bytes("photo.jpg")
        let large = try MemoryFile(RealFile.large())
        let descriptor = large.descriptor
        defer { withExtendedLifetime(large.descriptor) {} }
        return try await WorkerFixture.run {
            $0.abandonedGrace = grace
        } _: { workers in
            _ = try await workers.inspect(photo)
            let before = workers.taken
            let crowd = Requester(account: "ada", network: nil).run {
                (1...12).map { number in
                    Task {
                        try await workers.variant(descriptor, VariantRequest(width: 2_000 + number, height: 2_000, format: .webp))
                    }
                }
            }
            try await WorkerFixture.eventually { workers.taken > before && workers.waiting == 11 }
            if isHungUp { for request in crowd { request.cancel() } }
            let delay = try await ContinuousClock().measure {
                _ = try await Requester(account: "bob", network: nil).run { try await workers.inspect(photo) }
            }
            for request in crowd { request.cancel() }
            for request in crowd { _ = await request.result }
            return delay
        }
    }

    @Test("twelve variants of 97 megapixels delay another account's photo by one of them, or less once their clients disconnect")
    func crowd() async throws {
        let whole = try await Self.delay(.seconds(60), isHungUp: false)
        let hungUp = try await Self.delay(.milliseconds(50), isHungUp: true)
        print("another account's photo, with one worker: \(whole) behind twelve large copies, \(hungUp) when their clients have hung up")
        // All twelve variants would take more than ten seconds in this test.
        #expect(whole < .seconds(6))
        #expect(hungUp < .seconds(3))
    }

    @Test("a worker whose job was abandoned is killed and replaced")
    func abandoned() async throws {
        let photo = try WorkerFixture.bytes("photo.jpg")
        try await WorkerFixture.run {
            $0.jobTimeout = .seconds(120)
            $0.abandonedGrace = .milliseconds(50)
        } _: { workers in
            _ = try await workers.inspect(photo)
            let worker = try await WorkerFixture.process(workers)
            kill(worker, SIGSTOP)
            let before = workers.taken
            let request = Task { try await workers.inspect(photo) }
            try await WorkerFixture.eventually { workers.taken > before }
            // After this time, the job is at the worker, which is stopped.
            try await Task.sleep(for: .milliseconds(100))
            request.cancel()
            await #expect(throws: CancellationError.self) { try await request.value }
            let facts = try await workers.inspect(photo)
            #expect(facts.width == 480 && workers.processes.first != worker)
        }
    }

    @Test("a short abandoned job runs to its end, and its worker stays")
    func short() async throws {
        let photo = try WorkerFixture.bytes("photo.jpg")
        try await WorkerFixture.run {
            $0.abandonedGrace = .seconds(30)
        } _: { workers in
            _ = try await workers.inspect(photo)
            let worker = try await WorkerFixture.process(workers)
            for _ in 0..<20 {
                let request = Task { try await workers.variant(photo, VariantRequest(width: 300, height: 300, format: .jpeg)) }
                await Task.yield()
                request.cancel()
                _ = await request.result
            }
            _ = try await workers.inspect(photo)
            #expect(workers.processes == [worker])
        }
    }

    @Test("AVIF variants leave a worker to other accounts; other formats use it while nobody else waits", arguments: [true, false])
    func slowFormat(isAVIF: Bool) async throws {
        let photo = try WorkerFixture.bytes("photo.jpg")
        // Each variant takes at least a second.
        let large = try MemoryFile(RealFile.large())
        let descriptor = large.descriptor
        defer { withExtendedLifetime(large.descriptor) {} }
        try await WorkerFixture.run {
            $0.workers = 2
            $0.abandonedGrace = .zero
        } _: { workers in
            _ = try await workers.inspect(photo)
            let before = workers.taken
            let copies = Requester(account: "ada", network: nil).run {
                (1...2).map { number in
                    let request = VariantRequest(width: 2_000 + number, height: 2_000, format: isAVIF ? .avif : .webp)
                    return Task { try await workers.variant(descriptor, request) }
                }
            }
            try await WorkerFixture.eventually { workers.taken + workers.waiting == before + 2 && workers.taken > before }
            // Enough time for a free worker to take the second variant.
            try await Task.sleep(for: .milliseconds(200))
            #expect(workers.taken == before + (isAVIF ? 1 : 2))
            let facts = try await Requester(account: "bob", network: nil).run { try await workers.inspect(photo) }
            #expect(facts.width == 480)
            for copy in copies { copy.cancel() }
            for copy in copies { _ = await copy.result }
        }
    }

    @Test("a voice note is decoded while a long recording occupies the place of long jobs and another one waits for it")
    func voices() async throws {
        let photo = try WorkerFixture.bytes("photo.jpg")
        let voice = try WorkerFixture.bytes("plain.wav")
        // More than half an hour at 44.1 kHz.
        let recording = try RepeatedChunk.frames(of: "mp4a", count: 100_000)
        try await WorkerFixture.run {
            $0.workers = 2
            $0.abandonedGrace = .zero
            $0.ffmpeg = WorkerFixture.here.appending(path: "slow-tool.sh").path
            $0.jobTimeout = .seconds(120)
            $0.quickSoundTimeout = .seconds(120)
        } _: { workers in
            _ = try await workers.inspect(photo)
            let before = workers.taken
            func send(_ bytes: [UInt8], _ account: String) -> Task<AudioFacts, any Error> {
                Requester(account: account, network: nil).run {
                    Task {
                        let file = try MemoryFile(bytes)
                        return try await workers.audioFacts(file.descriptor)
                    }
                }
            }
            // The worker first counts the samples of each file, and then decodes them.
            let first = send(recording, "ada")
            try await WorkerFixture.eventually { workers.taken == before + 2 }
            let second = send(recording, "eve")
            try await WorkerFixture.eventually { workers.taken == before + 3 && workers.waiting == 1 }
            let note = send(voice, "bob")
            try await WorkerFixture.eventually { workers.taken == before + 5 }
            #expect(workers.waiting == 1)
            for task in [first, second, note] { task.cancel() }
            for task in [first, second, note] { _ = await task.result }
        }
    }

    @Test("sound that takes longer than its count promises is decoded again as long work")
    func longerThanCounted() async throws {
        let voice = try WorkerFixture.bytes("plain.wav")
        let flac = try RepeatedChunk.frames(of: "fLaC", count: 1_464)
        try await WorkerFixture.run {
            $0.ffmpeg = WorkerFixture.here.appending(path: "slow-tool.sh").path
            $0.jobTimeout = .seconds(1)
            $0.quickSoundTimeout = .milliseconds(100)
        } _: { workers in
            // The worker counts the samples of each file, and then decodes the file once or twice. After the first file, all sound of its
            // requester is long work.
            let files = [
                (voice, MediaFailure.timedOut, 3), (flac, MediaFailure.timedOut, 2), (voice, MediaFailure.timedOut, 2),
            ]
            for (bytes, failure, count) in files {
                let before = workers.taken
                let file = try MemoryFile(bytes)
                await #expect(throws: failure) { _ = try await workers.audioFacts(file.descriptor) }
                #expect(workers.taken == before + count)
            }
        }
    }

    @Test("little sound counts as short work; large files, which take long to count, do not")
    func shortWork() {
        let decoding = [true, false].map { WaitingJob.Work.tool([], outputByteCount: 1, timeout: nil, isShort: $0).isLong }
        #expect(decoding == [false, true])
        let counting = [20_000_000, 20_000_001].map { WaitingJob.Work.picture(.sound, size: $0).isLong }
        #expect(counting == [false, true])
        let measuring = [25_000_000, 25_000_001].map { WaitingJob.Work.picture(.measure, size: $0).isLong }
        #expect(measuring == [false, true])
    }

    @Test("a copy of a file that three accounts wait for, each in its place, is made once")
    func twins() async throws {
        let photo = try WorkerFixture.bytes("photo.jpg")
        try await WorkerFixture.run { workers in
            _ = try await workers.inspect(photo)
            let worker = try await WorkerFixture.process(workers)
            kill(worker, SIGSTOP)
            let before = workers.taken
            let first = Task { try await workers.inspect(photo) }
            try await WorkerFixture.eventually { workers.taken > before }
            let (request, file) = (VariantRequest(width: 100, height: 100, format: .jpeg), OwnedFile(owner: "ada", name: "photo"))
            let copies = ["ada", "bob", "eve"].map { account in
                Requester(account: account, network: nil).run { Task { try await workers.variant(photo, request, of: file) } }
            }
            try await WorkerFixture.eventually { workers.waiting == 3 }
            kill(worker, SIGCONT)
            _ = try await first.value
            for copy in copies {
                let made = try await copy.value
                #expect(max(made.width, made.height) == 100)
            }
            #expect(workers.taken == before + 2)
        }
    }

    @Test("a requester with too many jobs gets 429; another requester's job is accepted")
    func bounded() async throws {
        let photo = try WorkerFixture.bytes("photo.jpg")
        try await WorkerFixture.run {
            $0.queuePerRequester = 2
        } _: { workers in
            _ = try await workers.inspect(photo)
            let worker = try await WorkerFixture.process(workers)
            kill(worker, SIGSTOP)
            let before = workers.taken
            let requests = try await Requester(account: "ada", network: nil).run {
                let first = Task { try await workers.inspect(photo) }
                try await WorkerFixture.eventually { workers.taken > before }
                let more = (0..<2).map { _ in Task { try await workers.inspect(photo) } }
                try await WorkerFixture.eventually { workers.waiting == 2 }
                let problem = await #expect(throws: Problem.self) { try await workers.inspect(photo) }
                #expect(problem?.kind == .tooManyRequests && problem?.retryAfter != nil)
                return [first] + more
            }
            async let other = Requester(account: "bob", network: nil).run { try await workers.inspect(photo) }
            try await WorkerFixture.eventually { workers.waiting == 3 }
            kill(worker, SIGCONT)
            let facts = try await other
            #expect(facts.width == 480)
            for request in requests { _ = try await request.value }
        }
    }
}

@Suite("Audio bombs", .blocksThreads)
struct SoundBombTests {
    @Test("tables that name the same bytes repeatedly are refused before a decoder starts, within 100 ms of processor time")
    func repeated() async throws {
        let photo = try WorkerFixture.bytes("photo.jpg")
        try await WorkerFixture.run { workers in
            _ = try await workers.inspect(photo)
            let worker = try await WorkerFixture.process(workers)
            for bomb in try RepeatedChunk.all() {
                let file = try MemoryFile(bomb.bytes)
                for attempt in [0, 1] {
                    let (failure, used) = await Figure.measured(until: { $1 < 100 }) {
                        let start = media_processor_time(worker)
                        let failure = await Self.failure { () async throws in
                            if attempt == 0 { _ = try await workers.videoFacts(file.descriptor) }
                            if attempt == 1 { _ = try await workers.audioFacts(file.descriptor) }
                        }
                        return (failure, Double(media_processor_time(worker) - start) / 1e6)
                    }
                    print("\(bomb.name): \(bomb.bytes.count) bytes, refused after \(used) ms of processor time")
                    #expect(failure == .refused(.unreadable) || failure == .refused(.tooMuchSound), "\(bomb.name)")
                    #expect(used < 100, "\(bomb.name)")
                }
            }
            #expect(workers.processes == [worker])
        }
    }

    private static func failure(_ body: () async throws -> Void) async -> MediaFailure? {
        do {
            try await body()
            return nil
        } catch {
            return error as? MediaFailure
        }
    }

    @Test("control: ffmpeg alone accepts such a table and decodes a minute of audio from it")
    func control() throws {
        let bomb = try RepeatedChunk.chunks()
        let folder = try TemporaryFolder()
        try Data(bomb.bytes).write(to: URL(filePath: "\(folder.path)/a.mp4"))
        try Tool.run(
            "ffmpeg", ["-v", "quiet", "-i", "\(folder.path)/a.mp4", "-t", "60", "-ac", "1", "-ar", "4000", "\(folder.path)/a.wav"])
        let size = try Data(contentsOf: URL(filePath: "\(folder.path)/a.wav")).count
        #expect(bomb.bytes.count < 64_000 && size > 60 * 8_000)
    }

    @Test("a WAV with too many channels is refused, and all its chunks of sound are counted; an MP3 is counted frame by frame")
    func counted() async throws {
        var wave = try WorkerFixture.bytes("plain.wav")
        // Sets the number of channels.
        wave.replaceSubrange(22..<24, with: [200, 0])
        let voices = wave
        // Appends a second chunk of sound, which ffmpeg decodes.
        let one = try WorkerFixture.bytes("plain.wav")
        var more = one
        more.append(contentsOf: Array("junk".utf8) as [UInt8])
        more.append(contentsOf: [2, 0, 0, 0, 7, 7])
        more.append(contentsOf: Array("data".utf8) as [UInt8])
        more.append(contentsOf: [0, 1, 0, 0])
        more.append(contentsOf: [UInt8](repeating: 7, count: 256))
        let further = more
        try await WorkerFixture.run { workers in
            let plain = try MemoryFile(one)
            let long = try MemoryFile(further)
            let count = try await Self.samples(plain.descriptor, workers)
            let longCount = try await Self.samples(long.descriptor, workers)
            // Each sample has 16 bits.
            #expect(count == 2_000 && longCount == 2_128)
            let file = try MemoryFile(voices)
            await #expect(throws: MediaFailure.refused(.tooMuchSound)) { _ = try await workers.audioFacts(file.descriptor) }
            for name in ["tagged.mp3", "bare.mp3", "variable.mp3", "covered.mp3"] {
                let file = try MemoryFile(WorkerFixture.bytes(name))
                let samples = try await Self.samples(file.descriptor, workers)
                let facts = try await workers.audioFacts(file.descriptor)
                let seconds = facts.duration / .seconds(1)
                // The files have one or two channels at 8 to 48 kHz, and a few frames beyond the duration.
                #expect((seconds * 8_000...(seconds + 0.2) * 96_000).contains(Double(samples)), "\(name): \(samples)")
            }
        }
    }

    @Test("an MP3 that lasts longer than the server decodes is refused before it is decoded")
    func longMP3() async throws {
        // MPEG 2.5 at 8 kHz and 8 kbit/s, one channel: 576 samples in 72 bytes.
        let frame: [UInt8] = [0xFF, 0xE3, 0x18, 0xC0] + [UInt8](repeating: 0, count: 68)
        // The files last 7,848 s and 7,866 s.
        let files = [109_000, 109_250].map { count in Array(repeating: frame, count: count).flatMap { $0 } }
        try await WorkerFixture.run { workers in
            let long = try MemoryFile(files[0])
            let samples = try await Self.samples(long.descriptor, workers)
            #expect(samples == 109_000 * 576)
            let longer = try MemoryFile(files[1])
            await #expect(throws: MediaFailure.refused(.tooMuchSound)) { _ = try await Self.samples(longer.descriptor, workers) }
        }
    }

    /// The samples that the worker counts.
    private static func samples(_ descriptor: CInt, _ workers: MediaWorkers) async throws -> Int {
        guard case .answer(.sound(let most), _) = try await workers.perform(.picture(.sound), descriptor, .inspection) else {
            throw MediaFailure.crashed
        }
        return most
    }

    @Test("a sound is decoded only if its codec is known and the largest frames of the codec are within the limit")
    func codecs() async throws {
        let film = try WorkerFixture.bytes("moov-last.mp4")
        // In this film, the track of sound claims to be something else.
        let start = try #require(Data(film).range(of: Data("soun".utf8))?.lowerBound)
        var hidden = film
        hidden.replaceSubrange(start..<start + 4, with: Array("data".utf8))
        let wave = try WorkerFixture.bytes("plain.wav")
        func extensible(_ codec: [UInt8]) -> [UInt8] {
            var bytes = Array(wave[..<36])
            bytes.replaceSubrange(16..<22, with: [40, 0, 0, 0, 0xFE, 0xFF])
            bytes.append(contentsOf: [22, 0, 16, 0, 0, 0, 0, 0])
            bytes.append(contentsOf: codec)
            // The rest of the codec's GUID. It is the same for all codecs that have a tag.
            bytes.append(contentsOf: [0, 0, 0, 0, 0x10, 0, 0x80, 0, 0, 0xAA, 0, 0x38, 0x9B, 0x71])
            bytes.append(contentsOf: wave[36...])
            return bytes
        }
        var cases: [(name: String, bytes: [UInt8], isDecoded: Bool)] = [
            ("sound", film, true), ("hidden sound", hidden, false), ("extensible PCM", extensible([1, 0]), true),
            ("extensible FLAC", extensible([0xAC, 0xF1]), false),
        ]
        // A frame of FLAC has up to 65,535 samples in each of 8 channels. A frame of Opus has up to 5,760 samples in each of the 2 channels
        // that the file describes.
        for (codec, count, isDecoded) in [
            ("mp4a", 100_000, true), ("fLaC", 1_464, true), ("fLaC", 1_465, false), ("Opus", 66_666, true), ("Opus", 66_667, false),
            ("alac", 1, false), ("xyzw", 1, false),
        ] {
            cases.append(("\(count) of \(codec)", try RepeatedChunk.frames(of: codec, count: count), isDecoded))
        }
        try await WorkerFixture.run { [cases] workers in
            for (name, bytes, isDecoded) in cases {
                let file = try MemoryFile(bytes)
                do {
                    _ = try await workers.perform(.picture(.sound), file.descriptor, .inspection)
                    #expect(isDecoded, "\(name)")
                } catch {
                    #expect(error as? MediaFailure == .refused(.unknownSound) && !isDecoded, "\(name): \(error)")
                }
            }
        }
    }
}
