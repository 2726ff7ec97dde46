import Blobs
import Core
import Foundation
import TestKit
import TestThreads
import Testing

/// Tests which system calls the store makes, in which order, and which error it reports when a call fails.
@Suite("Durability of blobs", .serialized, .enabled(if: BlobChild.strace != nil, "strace is not installed"), .blocksThreads)
struct BlobDurabilityTests {
    private let calls = "trace=openat,mkdir,mkdirat,pwrite64,pwritev,write,fsync,fdatasync,rename,renameat,renameat2,unlink,unlinkat"
    private let key = BlobChild.key(1)

    @Test("The file is synced before the rename, and its folder after it")
    func order() async throws {
        let folder = try TemporaryFolder()
        let outcome = try await BlobChild.run("publish", folder: folder.path, tracing: ["-e", calls])
        #expect(outcome.output.contains("published \(key)"))
        let trace = outcome.trace
        let temporary = "/store/blobs/tmp/\(key)"
        let made = try #require(trace.firstIndex { $0.contains("openat(") && $0.contains(temporary) })
        #expect(trace[made].contains("O_EXCL") && trace[made].contains("O_CLOEXEC") && trace[made].contains("0600"))
        let lastWrite = try #require(trace.lastIndex { $0.contains("pwrite64(") && $0.contains(temporary) })
        let synced = try #require(trace.firstIndex { $0.contains("fsync(") && $0.contains(temporary) })
        let renamed = try #require(trace.firstIndex { $0.contains("rename") && $0.contains("/store/blobs/01/\(key)") })
        let folderSynced = try #require(trace[renamed...].firstIndex { $0.contains("fsync(") && $0.contains("/store/blobs/01>") })
        #expect(made < lastWrite && lastWrite < synced && synced < renamed && renamed < folderSynced)
        // The sync must have returned before the rename: another thread could otherwise rename the file while the sync still runs.
        #expect(
            !trace[synced].contains("unfinished") || trace[synced..<renamed].contains { $0.contains("fsync resumed") && $0.contains("= 0") }
        )
    }

    @Test("New folders are synced together with their parents")
    func folders() async throws {
        let folder = try TemporaryFolder()
        let trace = try await BlobChild.run("publish", folder: folder.path, tracing: ["-e", calls]).trace
        let staging = try #require(trace.lastIndex { $0.contains("mkdir") && $0.contains("/store/blobs/held") })
        let first = try #require(trace.firstIndex { $0.contains("mkdir") && $0.contains("/store/blobs/01") })
        #expect(trace[staging..<first].contains { $0.contains("fsync(") && $0.contains("/store/blobs>") })
        #expect(trace[staging..<first].contains { $0.contains("fsync(") && $0.contains("/store>") })
        #expect(trace[first...].contains { $0.contains("fsync(") && $0.contains("/store/blobs>") })
        // The store creates only the folders that it uses.
        #expect(!trace.contains { $0.contains("mkdir") && $0.contains("/store/blobs/02") })
        let storeMade = try #require(trace.firstIndex { $0.contains("mkdir") && $0.contains("\(folder.path)/store\"") })
        #expect(trace[storeMade...].contains { $0.contains("fsync(") && $0.contains("\(folder.path)>") })
    }

    @Test("Publishing blobs together costs one sync per folder")
    func manyInOne() async throws {
        let folder = try TemporaryFolder()
        let trace = try await BlobChild.run("publish many", folder: folder.path, tracing: ["-e", calls]).trace
        let lastRename = try #require(trace.lastIndex { $0.contains("rename") && $0.contains("/store/blobs/03/") })
        for number in ["01", "02", "03"] {
            let syncs = trace.indices.filter { trace[$0].contains("fsync(") && trace[$0].contains("/store/blobs/\(number)>") }
            #expect(syncs.count == 1 && syncs[0] > lastRename)
        }
        // The three new folders have one parent, so the store syncs it only once.
        #expect(trace[lastRename...].filter { $0.contains("fsync(") && $0.contains("/store/blobs>") }.count == 1)
    }

    @Test("A publish into a folder that another process created syncs the parent, and only once")
    func folderOfAnother() async throws {
        let folder = try TemporaryFolder()
        let outcome = try await BlobChild.run("publish into the folder of another", folder: folder.path, tracing: ["-e", calls])
        #expect(outcome.hasSucceeded)
        let parent = outcome.trace.indices.filter { outcome.trace[$0].contains("fsync(") && outcome.trace[$0].contains("/store/blobs>") }
        let renames = outcome.trace.indices.filter {
            outcome.trace[$0].contains("rename") && outcome.trace[$0].contains("/store/blobs/01/")
        }
        // One sync when the store opens, one for the first blob, none for the second.
        #expect(renames.count == 2 && parent.count == 2 && parent[1] > renames[0] && parent[1] < renames[1])
    }

    @Test("A publish is not acknowledged when the sync of a new folder's parent fails")
    func failedParentSync() async throws {
        let folder = try TemporaryFolder()
        // strace counts the calls of each thread: with 40 blobs, one of the 32 threads that publish syncs the parent a second time.
        let outcome = try await BlobChild.run(
            "publish forty in turn", folder: folder.path,
            tracing: ["-P", folder.path + "/store/blobs", "-e", calls, "-e", "inject=fsync:error=EIO:when=2"])
        let failed = try #require(outcome.output.firstMatch(of: /failed ([0-9a-f]{40}): syncing a blob folder: Input\/output error/))
        #expect(!outcome.output.contains("published \(failed.1)"))
    }

    @Test("Interrupted and short writes do not change the stored bytes", arguments: ["error=EINTR:when=1..3", "retval=1:when=2"])
    func interrupted(injection: String) async throws {
        let folder = try TemporaryFolder()
        let path = folder.path + "/store/blobs/tmp/\(key)"
        // strace only pretends the short write and leaves a hole, so the test checks that the store sent the rest from the next byte on.
        let outcome = try await BlobChild.run(
            "publish", folder: folder.path, tracing: ["-P", path, "-e", calls, "-e", "inject=pwrite64:\(injection)"])
        #expect(outcome.output.contains("published \(key)"))
        #expect(outcome.trace.contains { $0.contains("INJECTED") })
        if injection.hasPrefix("error") {
            let content = try Data(contentsOf: URL(filePath: folder.path + "/store/blobs/01/\(key)"))
            #expect(Array(content) == BlobStoreSuite.bytes(3_000_000))
        } else {
            let short = try #require(outcome.trace.compactMap { $0.firstMatch(of: /, (\d+), (\d+)\) += 1 \(INJECTED\)/) }.first)
            let (length, offset) = (try #require(Int(short.1)), try #require(Int(short.2)))
            #expect(outcome.trace.contains { $0.contains("pwrite64(") && $0.contains(", \(length - 1), \(offset + 1)") })
        }
    }

    @Test("Every write that fails for lack of space reports that the disk is full", arguments: ["ENOSPC", "EDQUOT"])
    func noRoom(code: String) async throws {
        let folder = try TemporaryFolder()
        let outcome = try await BlobChild.run(
            "publish", folder: folder.path,
            tracing: ["-P", folder.path + "/store/blobs/tmp/\(key)", "-e", calls, "-e", "inject=pwrite64:error=\(code):when=2"])
        #expect(outcome.output.contains("failed: no room left where the blobs are kept"))
        #expect(!FileManager.default.fileExists(atPath: folder.path + "/store/blobs/tmp/\(key)"))
    }
}

@Suite("Blob memory", .blocksThreads)
struct BlobMemoryTests {
    @Test("Eight concurrent uploads of 40 MB use at most 32 MB")
    func eightAtOnce() async throws {
        let growth = try await Figure.measured(until: { $0 <= 32 }) {
            let folder = try TemporaryFolder()
            let outcome = try await BlobChild.run("eight at once", folder: folder.path)
            #expect(outcome.hasSucceeded)
            let match = try #require(outcome.output.firstMatch(of: /grew by (\d+) MB/))
            let growth = try #require(Int(match.1))
            print("memory: 8 x 40 MB grew the process by \(growth) MB")
            return growth
        }
        #expect(growth <= 32)
    }
}
