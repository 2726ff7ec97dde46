import Core
import Foundation
import MediaFrames
import TestKit
import TestThreads
import Testing

@testable import MediaTools

/// Tests when slow short work makes further work of its requester long work.
@Suite("Work that was slow", .blocksThreads)
struct SlowWorkTests {
    private static let ada = Requester(account: "ada", network: Network(ipv4: 1))
    private static let bob = Requester(account: "bob", network: Network(ipv4: 1))
    private static let request = VariantRequest(width: 64, height: 64, format: .jpeg)

    @Test(
        "a header that takes longer than short work is read again as long work, and so are its account's other headers",
        arguments: [true, false])
    func headers(isInspection: Bool) async throws {
        let photo = try WorkerFixture.bytes("photo.jpg")
        try await WorkerFixture.run {
            $0.quickReadTimeout = .zero
        } _: { workers in
            // After a timeout, a worker takes the job a second time.
            for (requester, count) in [(Self.ada, 2), (Self.ada, 1), (Self.bob, 2)] {
                let before = workers.taken
                try await requester.run {
                    let file = try MemoryFile(photo)
                    if isInspection {
                        let facts = try await workers.inspect(file.descriptor)
                        #expect(facts.width == 480)
                    } else {
                        let stripped = try await workers.strip(file.descriptor)
                        #expect(stripped.byteCount > 0)
                    }
                }
                #expect(workers.taken == before + count)
            }
            #expect(workers.slowWork.contains(Self.ada, for: .strip, at: .now))
            #expect(!workers.slowWork.contains(Self.ada, for: .variant(Self.request), at: .now))
        }
    }

    /// Reads a file in one of the ways that decode no picture.
    private struct Reading {
        let kind: SlowWork.Kind
        let bytes: [UInt8]
        /// The number of jobs that follow once the file has been read.
        var furtherCount = 0
        let read: (MediaWorkers, CInt) async throws -> Void
    }

    @Test("a document, a film or sound that takes longer than short work is read again as long work, and so is its account's next one")
    func otherKinds() async throws {
        let document = [UInt8](ZipBytes.docx(["words"]))
        let readings = [
            Reading(kind: .documents, bytes: document) { workers, file in
                let kind = try await workers.document(file)
                #expect(kind == .docx)
            },
            Reading(kind: .texts, bytes: document) { workers, file in
                let text = try await workers.text(file, of: .docx)
                #expect(String(decoding: text, as: UTF8.self).contains("words"))
            },
            Reading(kind: .filmHeaders, bytes: try WorkerFixture.bytes("moov-last.mp4")) { workers, file in
                let facts = try await workers.videoFacts(file)
                #expect(facts.width != nil)
            },
            // The sound is decoded after its samples were counted.
            Reading(kind: .soundHeaders, bytes: try WorkerFixture.bytes("plain.wav"), furtherCount: 1) { workers, file in
                let facts = try await workers.audioFacts(file)
                #expect(facts.duration > .zero)
            },
        ]
        try await WorkerFixture.run {
            $0.quickReadTimeout = .zero
        } _: { workers in
            for reading in readings {
                #expect(!workers.slowWork.contains(Self.ada, of: reading.kind, at: .now), "\(reading.kind)")
                // After a timeout, a worker takes the job a second time.
                for (requester, count) in [(Self.ada, 2), (Self.ada, 1), (Self.bob, 2)] {
                    let before = workers.taken
                    try await requester.run {
                        let file = try MemoryFile(reading.bytes)
                        try await reading.read(workers, file.descriptor)
                    }
                    #expect(workers.taken == before + count + reading.furtherCount, "\(reading.kind)")
                }
                #expect(workers.slowWork.contains(Self.ada, of: reading.kind, at: .now), "\(reading.kind)")
            }
            #expect(!workers.slowWork.contains(Self.ada, of: .pictureHeaders, at: .now))
        }
    }

    @Test("a copy that takes longer than short work makes its account's copies and analyses long work, even if the picture is damaged")
    func copies() async throws {
        let photo = try WorkerFixture.bytes("photo.jpg")
        let truncated = Array(photo[..<(photo.count / 2)])
        try await WorkerFixture.run {
            $0.quickPictureTimeout = .zero
        } _: { workers in
            _ = try await Self.ada.run { try await workers.variant(photo, Self.request) }
            #expect(workers.slowWork.contains(Self.ada, for: .measure, at: .now))
            #expect(!workers.slowWork.contains(Self.ada, for: .inspect, at: .now))
            #expect(!workers.slowWork.contains(Self.bob, for: .measure, at: .now))
            await #expect(throws: MediaFailure.refused(.unreadable)) {
                _ = try await Self.bob.run { try await workers.variant(truncated, Self.request) }
            }
            #expect(workers.slowWork.contains(Self.bob, for: .measure, at: .now))
        }
    }

    @Test("when four accounts of a network had slow work of a kind, such work of the whole network is long work for ten minutes")
    func networks() {
        let (work, start) = (SlowWork(), ContinuousClock.now)
        let (network, other) = (Network(ipv4: 1), Network(ipv4: 2))
        func isLong(_ network: Network, _ kind: SlowWork.Kind = .copies, after seconds: Int64 = 0) -> Bool {
            work.contains(Requester(account: "new", network: network), of: kind, at: start + .seconds(seconds))
        }
        for number in 1..<SlowWork.manyAccounts {
            for _ in 0..<2 { work.add(Requester(account: "a\(number)", network: network), of: .copies, at: start) }
        }
        #expect(!isLong(network))
        work.add(Requester(account: "last", network: network), of: .copies, at: start)
        #expect(isLong(network) && !isLong(other) && !isLong(network, .pictureHeaders))
        #expect(isLong(network, after: 599) && !isLong(network, after: 601))
    }

    @Test("so had slow work on the files of four owners that a network requested by signed links")
    func links() {
        let (work, start) = (SlowWork(), ContinuousClock.now)
        let stranger = Requester(account: nil, network: Network(ipv4: 1))
        let member = Requester(account: "member", network: stranger.network)
        for number in 0..<SlowWork.manyAccounts {
            #expect(!work.contains(member, of: .copies, at: start))
            let owner = "owner\(number)"
            work.add(stranger, of: .copies, file: OwnedFile(owner: owner, name: "f\(number)"), at: start)
        }
        #expect(work.contains(member, of: .copies, at: start))
    }

    @Test("a HEIC has more time as short work than another picture")
    func heic() async throws {
        let (photo, heic) = (try WorkerFixture.bytes("photo.jpg"), try WorkerFixture.bytes("libheif.heic"))
        try await WorkerFixture.run {
            $0.quickPictureTimeout = .zero
        } _: { workers in
            for (bytes, requester, count) in [(photo, Self.ada, 2), (heic, Self.bob, 1)] {
                let before = workers.taken
                try await requester.run {
                    let file = try MemoryFile(bytes)
                    let copy = try await workers.variant(file.descriptor, Self.request, pixelCount: 24_000_000)
                    #expect(copy.width > 0)
                }
                #expect(workers.taken == before + count, "\(requester)")
            }
        }
    }

    @Test("an ordinary photo leaves its account's pictures short work")
    func ordinary() async throws {
        let photo = try WorkerFixture.bytes("photo.jpg")
        try await WorkerFixture.run { workers in
            try await Self.ada.run {
                _ = try await workers.inspect(photo)
                _ = try await workers.variant(photo, Self.request)
            }
            #expect(!workers.slowWork.contains(Self.ada, for: .inspect, at: .now))
            #expect(!workers.slowWork.contains(Self.ada, for: .measure, at: .now))
        }
    }

    @Test("short work is stopped after the time of an ordinary file; a HEIC may take as long as a phone's HEIC of its size")
    func times() {
        let options = WorkerFixture.options
        func time(_ job: MediaJob, _ pixelCount: Int, isHEIF: Bool) -> Duration {
            options.quickTimeout(of: job, pixelCount: pixelCount, isHEIF: isHEIF)
        }
        #expect(time(.measure, 12_000_000, isHEIF: false) == .seconds(1))
        #expect(time(.measure, 24_000_000, isHEIF: false) == .seconds(1))
        #expect(time(.measure, 12_000_000, isHEIF: true) == .milliseconds(2_020))
        #expect(time(.measure, 64_000, isHEIF: true) < .milliseconds(1_010))
        // A HEIC of unknown size has at most 25 megapixels.
        #expect(time(.measure, 24_000_000, isHEIF: true) == .seconds(3))
        #expect(time(.measure, 0, isHEIF: true) == .seconds(3))
        #expect(time(.inspect, 24_000_000, isHEIF: true) == .milliseconds(500))
    }
}
