package import Core
import NIOCore

/// Gives other programs a local file from which to read a blob: the store's own file, or, when the bytes are on another machine, a
/// temporary copy. It limits the disk space that copies use:
///
/// - `withFile` makes at most `Limits.copies` copies at a time, and in addition `Limits.longCopies` for long work. Other calls wait;
///   accounts and networks take turns. Long work has a limit of its own because work keeps its copy while it waits for a media worker.
/// - An upload may also write the bytes that it sends to the store into a local file (`BlobSpool`), so that they need not be fetched again
///   to be examined. All spools share `Limits.spooled` bytes. When a spool gets no more of them, its file is dropped, and `withFile` then
///   fetches the bytes.
package final class BlobFiles: Sendable {
    package struct Limits: Sendable {
        package var copies = FairSemaphore.Limits(
            permits: 8, permitsPerKey: 4, permitsPerNetwork: 6, waiting: 1_024, waitingPerKey: 128, waitingPerNetwork: 256)
        /// For work that takes seconds. By default, the media workers run at most three long jobs at a time; the fourth permit lets the
        /// file of the next job be copied meanwhile.
        package var longCopies = FairSemaphore.Limits(
            permits: 4, permitsPerKey: 2, permitsPerNetwork: 3, waiting: 1_024, waitingPerKey: 128, waitingPerNetwork: 256)
        /// In bytes.
        package var spooled = SharedBudget.Limits(
            total: 1 << 30, perAccount: 256 << 20, perNetwork: 512 << 20, reserve: 256 << 20, small: 16 << 20)

        package init() {}
    }

    /// Where temporary files are made. A file loses its name as soon as it is open.
    package let folder: String
    private let copies: FairSemaphore
    private let longCopies: FairSemaphore
    let spooled: SharedBudget

    /// - Parameter folder: created when it is first needed. Nothing else may be in it.
    package convenience init(folder: String, limits: Limits = Limits()) {
        self.init(
            folder: folder, copies: FairSemaphore(limits.copies), longCopies: FairSemaphore(limits.longCopies),
            spooled: SharedBudget(limits.spooled))
    }

    private init(folder: String, copies: FairSemaphore, longCopies: FairSemaphore, spooled: SharedBudget) {
        self.folder = folder
        self.copies = copies
        self.longCopies = longCopies
        self.spooled = spooled
    }

    /// The number of copies that exist, of tasks that wait for a copy, and of bytes that spools have taken from their budget.
    package var counts: (copies: Int, waiting: Int, spooledBytes: Int) {
        (copies.heldCount + longCopies.heldCount, copies.waitingCount + longCopies.waitingCount, spooled.held)
    }

    /// Makes copies in the same folder under a separate limit, for work that keeps its copies for minutes. Other work then does not wait
    /// for these copies.
    /// - Parameter count: the most copies at a time.
    package func separate(copies count: Int) -> BlobFiles {
        let limits = FairSemaphore.Limits(permits: count, permitsPerKey: count, waiting: 1_024, waitingPerKey: 1_024)
        return BlobFiles(folder: folder, copies: FairSemaphore(limits), longCopies: FairSemaphore(limits), spooled: spooled)
    }

    /// Calls `body` with a descriptor of a file that holds all bytes of the blob. The descriptor is closed when `body` returns.
    /// - Parameters:
    ///   - isStaged: whether the blob is finished but not published yet.
    ///   - isLong: whether `body` may take seconds, or wait for other such work.
    ///   - owner: in a job, the account that the file belongs to: the job waits in this account's turn. A request ignores it and waits in
    ///     the turn of its own account and network.
    /// - Throws: `BlobError.missing`; `.tooManyRequests` and `.unavailable` when too many tasks wait for a copy; `CancellationError`;
    ///   `BlobError`, also `.full` when the disk is full; what `body` throws.
    package func withFile<Value>(
        of key: BlobKey, in store: any BlobStore, isStaged: Bool = false, isLong: Bool = false, for owner: String? = nil,
        _ body: (CInt) async throws -> Value
    ) async throws -> Value {
        // The task gets its permit before it opens the blob, because an object store's reader holds the blob's first bytes.
        let permit = store.isRemote ? try await permit(of: isLong ? longCopies : copies, for: owner) : nil
        defer { permit?.release() }
        let reader = isStaged ? try await store.openStaged(key) : try await store.open(key)
        if let descriptor = try reader.duplicateDescriptor() {
            defer { Disk.close(descriptor) }
            return try await body(descriptor)
        }
        let file = try await TemporaryFile.make(in: folder)
        for try await chunk in reader.chunks(in: 0..<reader.byteCount) { try await file.append(chunk) }
        try await file.flush()
        guard file.byteCount == reader.byteCount else { throw BlobError.truncated(reader.key) }
        let value = try await body(file.descriptor)
        withExtendedLifetime(file) {}
        return value
    }

    private func permit(of copies: FairSemaphore, for owner: String?) async throws -> FairSemaphore.Permit {
        var requester = Requester.current
        if requester == .server { requester.account = owner }
        do {
            return try await copies.acquire(for: requester)
        } catch FairQueueRefusal.keyIsFull {
            throw Problem(
                .tooManyRequests, "Too many files of your account or network wait to be read. Try again later.", retryAfter: .seconds(2))
        } catch FairQueueRefusal.full {
            throw Problem(.unavailable, "Too many files wait to be read. Try again later.", retryAfter: .seconds(5))
        }
    }
}
