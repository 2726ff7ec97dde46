import Core
import NIOCore
import Synchronization

/// A second, local copy of the bytes that an upload sends to a store on another machine, so that the file can be examined without fetching it
/// again. Only one task at a time may call it.
///
/// The copy is optional: once the budget is used up or a write fails, the spool drops its file and ignores further bytes.
final class BlobSpool: Sendable {
    /// The budget is taken in steps of this size.
    private static let stepByteCount: Int64 = 4 << 20

    private struct State: Sendable {
        var file: TemporaryFile?
        var share: SharedBudget.Share?
    }

    private let state: Mutex<State>

    /// - Parameter share: a share of the budget `BlobFiles.Limits.spooled`; it grows with the file.
    init(_ file: TemporaryFile, _ share: SharedBudget.Share) { state = Mutex(State(file: file, share: share)) }

    func append(_ bytes: ByteBuffer) async {
        guard let file = state.withLock({ $0.file }) else { return }
        let missing = file.byteCount + Int64(bytes.readableBytes) - Int64(state.withLock { $0.share?.amount ?? 0 })
        do {
            if missing > 0 { try state.withLock { $0.share }?.grow(by: Int(max(missing, Self.stepByteCount))) }
            try await file.append(bytes)
        } catch {
            giveUp()
        }
    }

    /// Returns when no appended bytes are in memory any more.
    func writeOut() async {
        guard let file = state.withLock({ $0.file }) else { return }
        do { try await file.flush() } catch { giveUp() }
    }

    /// - Returns: the file, if it holds all `byteCount` bytes of the blob.
    func finish(byteCount: Int64) async -> TemporaryFile? {
        guard let file = state.withLock({ $0.file }), file.byteCount == byteCount, (try? await file.flush()) != nil else { return nil }
        return file
    }

    /// Frees the file and its share. The file remains until nobody refers to it.
    func giveUp() {
        state.withLock { state in
            state.file = nil
            state.share?.release()
            state.share = nil
        }
    }
}

extension BlobFiles {
    /// - Returns: `nil` when the disk budget is used up, or when the folder cannot be written.
    func spool() async -> BlobSpool? {
        guard let share = try? spooled.share(0), let file = try? await TemporaryFile.make(in: folder) else { return nil }
        return BlobSpool(file, share)
    }
}
