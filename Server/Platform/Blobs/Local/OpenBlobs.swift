import NIOCore
import NIOPosix
import Synchronization

/// Keeps the descriptors of blobs that were read a moment ago, so that a file that many clients request is opened once a minute.
///
/// It has two generations. A blob enters the younger one. When that is full, or after a minute, it replaces the older generation, and the
/// files of the replaced one are closed. So a file stays open for at most two minutes after its last use by a request, even if another
/// process deleted it.
final class OpenBlobs: Sendable {
    private typealias Generation = [BlobKey: LocalBlobReader]

    private struct State {
        var young = Generation()
        var old = Generation()
        var isTimed = false
        var isClosed = false
    }

    /// How long a generation lasts, unless it is full before.
    private static let time = TimeAmount.seconds(60)

    private let most: Int
    private let state = Mutex(State())

    /// - Parameter most: the most descriptors that it keeps open; with less than 2 it keeps none.
    init(most: Int) { self.most = most }

    var count: Int { state.withLock { $0.young.count + $0.old.count } }

    func reader(of key: BlobKey) -> LocalBlobReader? {
        state.withLock { $0.young[key] ?? $0.old[key] }
    }

    /// Blocks, because it may close files.
    func keep(_ reader: LocalBlobReader) {
        guard most >= 2 else { return }
        var closing = Generation()
        let isFirst = state.withLock { state in
            guard !state.isClosed else { return false }
            state.old[reader.key] = nil
            if state.young.count >= most / 2 { closing = Self.advance(&state) }
            state.young[reader.key] = reader
            defer { state.isTimed = true }
            return !state.isTimed
        }
        if isFirst { startTimer() }
        // A deletion removes the file and then its entry here. If it removed the file before the entry was added, it may not have found the
        // entry.
        if reader.isDeleted { forget(reader.key) }
        withExtendedLifetime(closing) {}
    }

    /// Call it after the file was removed, so that the disk gets its space back.
    func forget(_ key: BlobKey) {
        // The removed values are released outside the lock, because that may close the file.
        _ = state.withLock { state in (state.young.removeValue(forKey: key), state.old.removeValue(forKey: key)) }
    }

    /// Keeps nothing from now on.
    func close() {
        _ = state.withLock { state in
            state.isClosed = true
            _ = Self.advance(&state)
            return Self.advance(&state)
        }
    }

    /// - Returns: the readers that it no longer keeps; their files close when their last reference is released.
    private static func advance(_ state: inout State) -> Generation {
        defer { (state.old, state.young) = (state.young, [:]) }
        return state.old
    }

    private func startTimer() {
        MultiThreadedEventLoopGroup.singleton.next().scheduleTask(in: Self.time) { [weak self] in
            guard let self else { return }
            let (closing, isEmpty) = state.withLock { state in
                let closing = Self.advance(&state)
                state.isTimed = !state.old.isEmpty
                return (closing, !state.isTimed)
            }
            if !isEmpty { startTimer() }
            guard !closing.isEmpty else { return }
            // Closing a deleted file frees its blocks, which may wait for the disk.
            NIOThreadPool.singleton.submit { _ in withExtendedLifetime(closing) {} }
        }
    }
}
