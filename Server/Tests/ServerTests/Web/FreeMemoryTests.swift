import Logging
import SQLiteEngine
import TestKit
import TestThreads
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
    // Beside other tests, what they free and allocate would hide what the upkeep does.
    @Suite("Freed memory", .serialized, .runsAlone)
    struct FreeMemoryTests {
        /// Many blocks, of which only a few stay in use. The allocator cannot return the free memory by itself, because used blocks follow
        /// it.
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

            /// Allocates a block whose pages are all in memory.
            static func large(_ byteCount: Int) -> UnsafeMutableRawPointer {
                let block = UnsafeMutableRawPointer.allocate(byteCount: byteCount, alignment: 1)
                block.initializeMemory(as: UInt8.self, repeating: 1, count: byteCount)
                return block
            }

            /// Frees 255 of every 256 blocks.
            func free() {
                for (number, block) in blocks.enumerated() where number % 256 != 255 { block.deallocate() }
                blocks = stride(from: 255, to: blocks.count, by: 256).map { blocks[$0] }
            }
        }

        private var resident: Int { ProcessTree.residentByteCount(of: getpid()) }

        // The first test, because the blocks of the other one leave so much free memory that a large block fits into it.
        @Test("the memory of a large block returns to the system when it is freed, also after a larger one was freed")
        func limit() async throws {
            FreeMemory.limit()
            // Without the limit, glibc assumes after the first freed large block that such blocks are common, and keeps their memory.
            Blocks.large(32_505_856).deallocate()
            // Measure repeatedly, because other tests in this process allocate memory in the meantime.
            let (full, freed) = await Figure.measured(until: { $1 < $0 - 15_728_640 }) {
                let block = Blocks.large(31_457_280)
                let full = resident
                block.deallocate()
                return (full, resident)
            }
            #expect(freed < full - 15_728_640, "\(full) bytes, then \(freed)")
        }

        @Test("free memory between used blocks returns to the system within one round of the upkeep", arguments: [0, 1, 2])
        func upkeep(_ number: Int) async throws {
            // The last upkeep works only in a large process.
            let used = Blocks.large(300_000_000)
            defer { used.deallocate() }
            // The blocks are large, because other tests in this process may free some tens of MB in the meantime.
            let blocks = Blocks(128_000_000)
            let full = resident
            blocks.free()
            let freed = resident
            #expect(freed > full - 64_000_000, "without the upkeep it stays: \(full), then \(freed)")
            let folder = try TemporaryFolder()
            let database = try await SQLiteDatabase.open(path: folder.path + "/a.sqlite")
            let logger = Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }
            let upkeep = Task { try await FreeMemory.upkeep(database, logger: logger)[number].run() }
            try await eventually { resident < full - 96_000_000 }
            upkeep.cancel()
            _ = await upkeep.result
            try await database.close()
            withExtendedLifetime(blocks) {}
        }

        @Test("the server runs this upkeep")
        func server() async throws {
            try await TestServer.run(.sqlite) { server in
                let names = server.backend.services.map { "\($0)" }
                #expect(names.contains("upkeep of free memory") && names.contains("upkeep of much free memory"))
                #expect(names.contains("upkeep of much free memory of a large process"))
            }
        }
    }
#endif
