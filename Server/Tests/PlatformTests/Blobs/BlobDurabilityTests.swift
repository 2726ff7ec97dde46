import Blobs
import Core
import Foundation
import TestKit
import TestThreads
import Testing

/// Promises 2 and 3: the system calls and their order, and the error that the store reports when a call fails.
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
        // strace shows that the call had returned: another thread could otherwise start its call while this one still runs.
        #expect(
            !trace[synced].contains("unfinished") || trace[synced..<renamed].contains { $0.contains("fsync resumed") && $0.contains("= 0") }
        )
    }

    @Test("New folders are synced together with their parents")
    func folders() async throws {
        let folder = try TemporaryFolder()
        let trace = try await BlobChild.run("publish", folder: folder.path, tracing: ["-e", calls]).trace
        let lastMade = try #require(trace.lastIndex { $0.contains("mkdir") && $0.contains("/store/blobs/ff") })
        for synced in ["/store/blobs>", "/store>"] {
            #expect(trace[lastMade...].contains { $0.contains("fsync(") && $0.contains(synced) })
        }
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
    }

    @Test("A file whose sync fails is neither acknowledged nor published, and is deleted")
    func failedFileSync() async throws {
        let folder = try TemporaryFolder()
        let outcome = try await BlobChild.run(
            "publish", folder: folder.path,
            tracing: ["-P", folder.path + "/store/blobs/tmp/\(key)", "-e", calls, "-e", "inject=fsync:error=EIO"])
        #expect(outcome.output.contains("failed: syncing a blob: Input/output error"))
        #expect(!outcome.output.contains("finished \(key)") && !outcome.output.contains("published \(key)"))
        // The store must not retry fsync: after a failure the kernel reports success without having written the data.
        #expect(outcome.trace.filter { $0.contains("fsync(") }.count == 1)
        #expect(!outcome.trace.contains { $0.contains("rename") })
        #expect(!FileManager.default.fileExists(atPath: folder.path + "/store/blobs/tmp/\(key)"))
        #expect(!FileManager.default.fileExists(atPath: folder.path + "/store/blobs/01/\(key)"))
    }

    @Test("A publish is not acknowledged when the sync of its folder fails")
    func failedFolderSync() async throws {
        let folder = try TemporaryFolder()
        let outcome = try await BlobChild.run(
            "publish", folder: folder.path, tracing: ["-P", folder.path + "/store/blobs/01", "-e", calls, "-e", "inject=fsync:error=EIO"])
        #expect(outcome.output.contains("failed: syncing a blob folder: Input/output error"))
        #expect(!outcome.output.contains("published \(key)"))
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
    @Test("Eight concurrent uploads of 100 MB use at most 32 MB")
    func eightAtOnce() async throws {
        let growth = try await Figure.measured(until: { $0 <= 32 }) {
            let folder = try TemporaryFolder()
            let outcome = try await BlobChild.run("eight at once", folder: folder.path)
            #expect(outcome.hasSucceeded)
            let match = try #require(outcome.output.firstMatch(of: /grew by (\d+) MB/))
            let growth = try #require(Int(match.1))
            print("memory: 8 x 100 MB grew the process by \(growth) MB")
            return growth
        }
        #expect(growth <= 32)
    }
}
