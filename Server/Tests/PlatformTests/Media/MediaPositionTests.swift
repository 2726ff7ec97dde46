import Foundation
import MediaFrames
import MediaTools
import TestKit
import TestThreads
import Testing

@Suite("Positions in pictures", .blocksThreads)
struct MediaPositionTests {
    /// Pictures with a position, made by `make-positions.py`.
    static let withPosition = [
        "position-exif.jpg", "position-xmp.jpg", "position-second.jpg", "position-extended.jpg", "position-exif.png", "position-xmp.png",
        "position-raw.png",
        "position-exif.webp", "position-xmp.webp", "position-exif.heic", "position-xmp.heic", "position-uuid.heic",
    ]
    static let withoutPosition = ["no-position.jpg", "no-position.png", "no-position.webp", "no-position.heic"]
    /// What the metadata of these pictures contains: coordinates as EXIF and as XMP have them, the camera and the date.
    static let traces = ["GPS", "52,31", "Keepsake", "2025:06:14"].map { Array($0.utf8) } + [latitude]
    /// 52° 31′ 5″ as three fractions.
    static let latitude: [UInt8] = [52, 0, 0, 0, 1, 0, 0, 0, 31, 0, 0, 0, 1, 0, 0, 0, 5, 0, 0, 0, 1, 0, 0, 0]

    private static func bytes(_ name: String) throws -> [UInt8] { try WorkerFixture.bytes(name, in: WorkerFixture.own) }

    private static func suffix(_ name: String) -> String { String(name[name.index(after: name.lastIndex(of: ".")!)...]) }

    private static func contains(_ bytes: [UInt8], _ trace: [UInt8]) -> Bool { bytes.contains(trace) }

    /// What libvips says of the picture, apart from its pixels: its orientation and the size of its profile.
    private static func look(_ bytes: [UInt8], _ suffix: String) throws -> [Substring] {
        try fields(bytes, suffix).filter { $0.hasPrefix("orientation:") || $0.hasPrefix("icc-profile-data:") }
    }

    private static func fields(_ bytes: [UInt8], _ suffix: String) throws -> [Substring] {
        let path = FileManager.default.temporaryDirectory.appending(path: "keepsake-position-\(UUID().uuidString).\(suffix)").path
        defer { try? FileManager.default.removeItem(atPath: path) }
        try Data(bytes).write(to: URL(filePath: path))
        return try WorkerFixture.tool("vipsheader", ["-a", path]).split(separator: "\n")
    }

    @Test("A position is found wherever a format keeps EXIF and XMP; metadata without a position counts as none")
    func found() async throws {
        try await WorkerFixture.run { workers in
            for name in Self.withPosition + Self.withoutPosition {
                let facts = try await workers.inspect(Self.bytes(name))
                #expect(facts.mayHavePosition == !Self.withoutPosition.contains(name), "\(name)")
                #expect((facts.width, facts.height) == (96, 64), "\(name)")
            }
            let photo = try await workers.inspect(WorkerFixture.bytes("photo.jpg"))
            #expect(photo.mayHavePosition)
        }
    }

    @Test("The copy without metadata has the same pixels, orientation and colour profile, and no trace of the rest")
    func stripped() async throws {
        try await WorkerFixture.run { workers in
            for name in Self.withPosition + Self.withoutPosition {
                let (bytes, suffix) = (try Self.bytes(name), Self.suffix(name))
                #expect(Self.traces.contains { Self.contains(bytes, $0) }, "\(name) has something to lose")
                let stripped = try await workers.strip(bytes)
                let before = try (fields: Self.look(bytes, suffix), image: WorkerFixture.look(bytes, suffix))
                let after = try (fields: Self.look(stripped, suffix), image: WorkerFixture.look(stripped, suffix))
                #expect(
                    after.fields == before.fields && after.fields.contains { $0.hasPrefix("icc-profile-data") }, "\(name) \(after.fields)")
                #expect((after.image.width, after.image.height) == (before.image.width, before.image.height), "\(name)")
                #expect(after.image.pixels == before.image.pixels, "\(name)")
                for trace in Self.traces { #expect(!Self.contains(stripped, trace), "\(name): \(String(decoding: trace, as: UTF8.self))") }

                let facts = try await workers.inspect(stripped)
                #expect(!facts.mayHavePosition && facts.captureTime == nil && (facts.width, facts.height) == (96, 64), "\(name)")
                let upright = try await workers.variant(stripped, VariantRequest(width: 96, height: 96, format: .webp, quality: 95))
                #expect(try WorkerFixture.look(upright.bytes, "webp").isUpright, "\(name)")
                // Nothing is left to remove.
                #expect(try await workers.strip(stripped) == stripped, "\(name)")
            }
        }
    }

    @Test("Every real picture has a copy without metadata with the same pixels, or none at all")
    func everyKind() async throws {
        try await WorkerFixture.run { workers in
            for (name, facts) in MediaInspectionTests.kinds {
                let bytes = try WorkerFixture.bytes(name)
                do {
                    let stripped = try await workers.strip(bytes)
                    #expect(try await workers.inspect(stripped) == facts, "\(name)")
                    if stripped == bytes { continue }
                    let suffix = Self.suffix(name)
                    #expect(try WorkerFixture.look(stripped, suffix).pixels == WorkerFixture.look(bytes, suffix).pixels, "\(name)")
                } catch let failure as MediaFailure {
                    // The worker copies no GIF, no sequence of HEIC frames, and no AVIF, which it does not accept.
                    #expect(failure == .refused(.unreadable), "\(name)")
                    #expect([.gif, .avif].contains(facts.kind) || name == "sequence.heic", "\(name)")
                }
            }
        }
    }

    @Test("A file truncated anywhere costs no worker, and no copy of it has a position")
    func cut() async throws {
        try await WorkerFixture.run {
            $0.jobsPerWorker = 100_000
        } _: { workers in
            let worker = try await WorkerFixture.process(workers)
            for name in Self.withPosition {
                let whole = try Self.bytes(name)
                for length in stride(from: 1, to: whole.count, by: max(1, whole.count / 20)) {
                    try await Self.check(Array(whole[..<length]), name, workers)
                }
            }
            #expect(workers.processes == [worker])
        }
    }

    @Test("Damaged files cost no worker, no copy of them has a position, and a position that a decoder still sees is found")
    func damaged() async throws {
        try await WorkerFixture.run {
            $0.jobsPerWorker = 100_000
        } _: { workers in
            let worker = try await WorkerFixture.process(workers)
            var generator = SplitMix64(seed: 17)
            let originals = try Self.withPosition.map { ($0, try Self.bytes($0)) }
            for round in 0..<600 {
                var (name, bytes) = originals[round % originals.count]
                for _ in 0..<Int.random(in: 1...3, using: &generator) { Self.damage(&bytes, &generator) }
                try await Self.check(bytes, "\(name) in round \(round)", workers)
            }
            #expect(workers.processes == [worker])
        }
    }

    private static func damage(_ bytes: inout [UInt8], _ generator: inout SplitMix64) {
        let at = Int.random(in: 0..<bytes.count, using: &generator)
        switch Int.random(in: 0..<8, using: &generator) {
        case 0: bytes.remove(at: at)
        case 1: bytes.insert(contentsOf: bytes[at..<min(bytes.count, at + 40)], at: at)
        case 2: bytes[at] = [0, 1, 0x7F, 0x80, 0xFF].randomElement(using: &generator)!
        default: bytes[at] ^= 1 << UInt8.random(in: 0..<8, using: &generator)
        }
    }

    /// The worker may refuse the file. If it says that the file has no position, or makes a copy, then the file or the copy must have none.
    private static func check(_ bytes: [UInt8], _ name: String, _ workers: MediaWorkers) async throws {
        let suffix = suffix(String(name.prefix { $0 != " " }))
        do {
            if try await workers.inspect(bytes).mayHavePosition == false { try expectNoPosition(bytes, name, suffix) }
        } catch MediaFailure.refused {}
        do {
            try expectNoPosition(try await workers.strip(bytes), name, suffix)
        } catch MediaFailure.refused {}
    }

    private static func expectNoPosition(_ bytes: [UInt8], _ name: String, _ suffix: String) throws {
        #expect(!contains(bytes, Array("GPSLatitude".utf8)), "\(name)")
        guard contains(bytes, latitude) else { return }
        // The bytes of the latitude are still there. If libvips sees no position, nothing in the file points to them.
        let seen = ((try? fields(bytes, suffix)) ?? []).filter { $0.contains("GPSLatitude") }
        #expect(seen.isEmpty, "\(name): \(seen)")
    }
}

extension MediaWorkers {
    func strip(_ bytes: [UInt8]) async throws -> [UInt8] {
        let file = try MemoryFile(bytes)
        return try await strip(file.descriptor).bytes()
    }
}
