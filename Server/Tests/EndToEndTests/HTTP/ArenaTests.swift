import Foundation
import TestKit
import TestThreads
import Testing

#if os(Linux)
    @Suite("Memory arenas of the server", .blocksThreads)
    struct ArenaTests {
        /// The heaps of the allocator's arenas, without the first arena. Each begins at a multiple of 64 MiB; the part that is in use is
        /// writable.
        private func heapCount(of process: Int32) throws -> Int {
            let size = 64 << 20
            let maps = try FileHandle(forReadingFrom: URL(filePath: "/proc/\(process)/maps")).readToEnd() ?? Data()
            return String(decoding: maps, as: UTF8.self).split(separator: "\n").count { line in
                let fields = line.split(separator: " ")
                let bounds = fields[0].split(separator: "-").compactMap { Int($0, radix: 16) }
                return bounds.count == 2 && bounds[0] % size == 0 && bounds[1] - bounds[0] < size && fields[1] == "rw-p" && fields.count < 6
            }
        }

        @Test("the server's threads share two arenas for each processor, and not eight")
        func count() throws {
            let folder = try TemporaryFolder()
            let server = try ServerProcess(data: folder.path + "/data")
            defer { server.killNow() }
            let count = try heapCount(of: server.processID)
            // An arena that is being extended has two heaps for a moment.
            #expect((1...max(4, 2 * ProcessInfo.processInfo.activeProcessorCount)).contains(count), "\(count)")
        }
    }
#endif
