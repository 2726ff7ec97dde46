import CMedia
import Foundation
import MediaFrames
import MediaTools
import Testing

@Suite("Pictures made to harm")
struct MediaBombTests {
    typealias Bomb = (name: String, bytes: [UInt8], answer: MediaRefusal)

    @Test("Bombs are refused within 100 ms of processor time and without memory")
    func bombs() async throws {
        try await MediaWorkshop.run { workers in
            // Everything is touched once before it is measured.
            _ = try await workers.variant(MediaWorkshop.bytes("photo.jpg"), VariantRequest(width: 100, height: 100, format: .webp))
            let worker = try await MediaWorkshop.process(workers)
            let memory = try MediaWorkshop.peak(worker)
            for bomb in try Self.bombs {
                let start = media_processor_time(worker)
                let failure = try await workers.failure(bomb.bytes)
                let used = Double(media_processor_time(worker) - start) / 1e6
                print("\(bomb.name): \(bomb.bytes.count) bytes, refused after \(used) ms of processor time")
                #expect(failure == .refused(bomb.answer), "\(bomb.name)")
                #expect(used < 100, "\(bomb.name)")
            }
            #expect(workers.processes == [worker], "none of them costs a worker")
            // What is mapped of the file counts as well while it is looked at.
            #expect(try MediaWorkshop.peak(worker) - memory < 32 << 20)
        }
    }

    @Test("A picture whose pixels do not fit costs one file, and the memory of its worker stays bounded")
    func greedy() async throws {
        // 9,900 by 9,900 pixels of 16 bits, interlaced: nobody can decode it in passing.
        let path = FileManager.default.temporaryDirectory.appending(path: "keepsake-greedy-\(UUID().uuidString)").path
        defer { for suffix in [".v", ".png"] { try? FileManager.default.removeItem(atPath: path + suffix) } }
        try MediaWorkshop.tool("vips", ["black", "\(path).v", "9900", "9900", "--bands", "3"])
        try MediaWorkshop.tool("vips", ["pngsave", "\(path).v", "\(path).png", "--interlace", "--bitdepth", "8", "--compression", "1"])
        let greedy = [UInt8](try Data(contentsOf: URL(filePath: "\(path).png")))
        try await MediaWorkshop.run { options in
            options.jobTimeout = .seconds(20)
        } _: { workers in
            let facts = try await workers.inspect(greedy)
            #expect((facts.width, facts.height) == (9900, 9900))
            let worker = try await MediaWorkshop.process(workers)
            let watch = Task {
                var peak = 0
                while !Task.isCancelled {
                    peak = max(peak, (try? MediaWorkshop.peak(worker)) ?? 0)
                    try? await Task.sleep(for: .milliseconds(5))
                }
                return peak
            }
            do {
                _ = try await workers.variant(greedy, VariantRequest(width: 100, height: 100, format: .jpeg))
            } catch let failure as MediaFailure {
                #expect([.refused(.outOfMemory), .refused(.unreadable), .crashed, .timedOut].contains(failure))
            }
            watch.cancel()
            let peak = await watch.value
            print("100 megapixels, interlaced: at most \(peak >> 20) MB resident")
            #expect(peak < 800 << 20)
            let next = try await workers.inspect(MediaWorkshop.bytes("photo.jpg"))
            #expect(next.width == 480)
        }
    }

    static var bombs: [Bomb] {
        get throws {
            let head = try MediaWorkshop.bytes("palette.png")
            var huge = head
            huge.replaceSubrange(16..<24, with: big(30_000, 4) + big(30_000, 4))
            var long = head
            long.replaceSubrange(16..<24, with: big(30_001, 4) + big(1, 4))
            // The head, and a chunk that claims two gigabytes.
            let endless = Array(head[..<33]) + big(0x7FFF_FFFF, 4) + Array("IDAT".utf8) + [UInt8](repeating: 0, count: 100_000)
            // A GIF's head, and one-pixel frames.
            let frame: [UInt8] = [0x2C, 0, 0, 0, 0, 1, 0, 1, 0, 0, 2, 2, 0x4C, 1, 0]
            let frames =
                Array("GIF89a".utf8) + [1, 0, 1, 0, 0x80, 0, 0, 0, 0, 0, 255, 255, 255] + (0..<100_000).flatMap { _ in frame } + [0x3B]
            let webp = try MediaWorkshop.bytes("animated.webp")
            let animation =
                webp[..<44] + (0..<100_000).flatMap { _ in Array("ANMF".utf8) + [16, 0, 0, 0] + [UInt8](repeating: 0, count: 16) }
            // 16,383 by 16,383, which WebP can say.
            var wide = try MediaWorkshop.bytes("lossless.webp")
            wide.replaceSubrange(21..<25, with: [0xFE, 0xBF, 0xFF, 0x0F])
            // Two sides of 65,500, the most that libjpeg reads, in the frame header.
            var jpeg = try MediaWorkshop.bytes("baseline.jpg")
            if let at = jpeg.indices.first(where: { jpeg[$0] == 0xFF && $0 + 9 < jpeg.count && jpeg[$0 + 1] == 0xC0 }) {
                jpeg.replaceSubrange(at + 5..<at + 9, with: [0xFF, 0xDC, 0xFF, 0xDC])
            }
            return [
                ("a PNG of 30,000 by 30,000", huge, .tooManyPixels), ("a PNG of 30,001 by 1", long, .sideTooLong),
                ("a PNG with an endless chunk", endless, .unreadable), ("a GIF of 100,000 frames", frames, .tooManyFrames),
                ("a WebP of 100,000 frames", Array(animation), .tooManyFrames), ("a WebP of 16,383 by 16,383", wide, .tooManyPixels),
                ("a JPEG of 65,500 by 65,500", jpeg, .sideTooLong), ("20,000 ISO boxes in each other", boxes(depth: 20_000), .unreadable),
                ("100,000 ISO boxes beside each other", boxes(count: 100_000), .unreadable),
                ("a file of 2 MB of nothing", [UInt8](repeating: 0, count: 2 << 20), .unreadable),
            ]
        }
    }

    static func boxes(depth: Int) -> [UInt8] {
        let inner = (0..<depth).flatMap { big(8 * (depth - $0), 4) + Array("ipco".utf8) }
        return heic + big(12 + 8 + inner.count, 4) + Array("meta".utf8) + [0, 0, 0, 0] + big(8 + inner.count, 4) + Array("iprp".utf8)
            + inner
    }

    static func boxes(count: Int) -> [UInt8] {
        let inner = (0..<count).flatMap { _ in big(8, 4) + Array("free".utf8) }
        return heic + big(12 + inner.count, 4) + Array("meta".utf8) + [0, 0, 0, 0] + inner
    }

    static let heic = big(24, 4) + Array("ftypheic".utf8) + [0, 0, 0, 0] + Array("mif1heic".utf8)

    static func big(_ value: Int, _ count: Int) -> [UInt8] {
        (0..<count).reversed().map { UInt8(truncatingIfNeeded: value >> (8 * $0)) }
    }
}
