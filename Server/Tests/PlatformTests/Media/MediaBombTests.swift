import CMedia
import Foundation
import MediaFrames
import MediaTools
import TestKit
import TestThreads
import Testing

@Suite("Image bombs", .blocksThreads)
struct MediaBombTests {
    @Test("Bombs are refused within 100 ms of processor time and without much memory")
    func bombs() async throws {
        try await WorkerFixture.run { workers in
            // A first request loads all code and data before the measurement.
            _ = try await workers.variant(WorkerFixture.bytes("photo.jpg"), VariantRequest(width: 100, height: 100, format: .webp))
            let worker = try await WorkerFixture.process(workers)
            let memory = try WorkerFixture.peak(worker)
            for bomb in try Bomb.pictures() {
                let (failure, used) = try await Figure.measured(until: { $1 < 100 }) {
                    let start = media_processor_time(worker)
                    let failure = try await workers.failure(bomb.bytes)
                    return (failure, Double(media_processor_time(worker) - start) / 1e6)
                }
                print("\(bomb.name): \(bomb.bytes.count) bytes, refused after \(used) ms of processor time")
                #expect(failure == MediaRefusal(rawValue: bomb.refusal).map(MediaFailure.refused), "\(bomb.name)")
                #expect(used < 100, "\(bomb.name)")
            }
            #expect(workers.processes == [worker], "none of them costs a worker")
            // The pages of the file that are mapped during the inspection count as well.
            #expect(try WorkerFixture.peak(worker) - memory < 32 << 20)
        }
    }

    @Test("A tiny file that decodes only as a whole is refused; one that decodes row by row takes little memory")
    func greedy() async throws {
        try await WorkerFixture.run { workers in
            _ = try await workers.variant(WorkerFixture.bytes("photo.jpg"), VariantRequest(width: 100, height: 100, format: .jpeg))
            let worker = try await WorkerFixture.process(workers)
            let memory = try WorkerFixture.peak(worker)
            for bomb in try Bomb.greedy() {
                let failure = try await workers.failure(bomb.bytes)
                #expect(failure == .refused(.tooManyPixels), "\(bomb.name)")
            }
            let rows = try Bomb.rows()
            #expect(try await workers.inspect(rows.bytes).width == 9_900)
            let variant = try await workers.variant(rows.bytes, VariantRequest(width: 100, height: 100, format: .jpeg))
            #expect((variant.width, variant.height) == (100, 100))
            #expect(workers.processes == [worker], "none of them costs a worker")
            let grown = try WorkerFixture.peak(worker) - memory
            print("98 megapixels, row by row: +\(grown >> 20) MB")
            #expect(grown < 128 << 20)
        }
    }
}
