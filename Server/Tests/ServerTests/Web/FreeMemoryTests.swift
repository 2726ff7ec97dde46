import Foundation
import Logging
import TestKit
import Testing

@testable import FeatureTestKit
@testable import Web
@testable import keepsake

#if canImport(Glibc)
    import Glibc
#elseif canImport(Darwin)
    import Darwin
#endif

#if canImport(Glibc)
    @Suite("Freed memory", .serialized)
    struct FreeMemoryTests {
        /// Blocks of which a few stay in use. The allocator cannot return memory on its own, because a used block follows the free ones.
        private final class Blocks {
            static let byteCount = 1_000
            private var blocks: [UnsafeMutableRawPointer]

            init(_ byteCount: Int) {
                blocks = (0..<byteCount / Self.byteCount).map { _ in
                    let block = UnsafeMutableRawPointer.allocate(byteCount: Self.byteCount, alignment: 1)
                    block.initializeMemory(as: UInt8.self, repeating: 1, count: Self.byteCount)
                    return block
                }
            }

            deinit { blocks.forEach { $0.deallocate() } }

            /// Frees 255 of every 256 blocks.
            func free() {
                for (number, block) in blocks.enumerated() where number % 256 != 255 { block.deallocate() }
                blocks = stride(from: 255, to: blocks.count, by: 256).map { blocks[$0] }
            }
        }

        private var resident: Int { ProcessTree.residentByteCount(of: getpid()) }

        @Test("free memory between used blocks returns to the system within one round of the upkeep")
        func upkeep() async throws {
            let blocks = Blocks(128_000_000)
            let full = resident
            blocks.free()
            let freed = resident
            #expect(freed > full - 32_000_000, "without the upkeep it stays: \(full), then \(freed)")
            let upkeep = Task { try await FreeMemory.upkeep(logger: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }).run() }
            try await eventually { resident < full - 96_000_000 }
            upkeep.cancel()
            _ = await upkeep.result
            withExtendedLifetime(blocks) {}
        }

        @Test("code that is not in use leaves the process's memory, and comes back when it is called")
        func code() throws {
            // Other tests run in this process and map their code again at once, so one of a few attempts must show the fall.
            let fell = try (0..<20).contains { _ in
                let before = try residentFiles()
                FreeMemory.releaseCode()
                return try residentFiles() < before * 3 / 4
            }
            #expect(fell)
        }

        /// Resident bytes of mapped files: code, and data that nobody has written.
        private func residentFiles() throws -> Int {
            let status = try String(contentsOfFile: "/proc/self/status", encoding: .utf8)
            let line = try #require(status.split(separator: "\n").first { $0.hasPrefix("RssFile:") })
            return try #require(line.split(separator: " ").dropFirst().first.flatMap { Int($0) }) * 1_024
        }

        @Test("code is released once after each busy period")
        func idleRounds() {
            var idleness = FreeMemory.Idleness()
            let limit = FreeMemory.Idleness.limit
            // The start, which was busy; two idle rounds; a round with requests; an idle round.
            let released = [5, 6, 7, 9, 9].map { idleness.next(processorTime: limit * $0) }
            #expect(released == [false, true, false, false, true])
        }

        @Test("the server runs this upkeep")
        func server() async throws {
            try await TestServer.run(.sqlite) { server in
                let names = server.backend.services.map { "\($0)" }
                #expect(names.contains("upkeep of free memory"))
            }
        }
    }
#endif
