import Blobs
import Core
import HTTPServer
import HTTPTypes
import Hummingbird
import NIOCore

/// Writes complete responses to temporary files when the memory for them (`AnswersInFlight`) is used up. So a dozen networks that read none
/// of their long lists cannot exclude all others from theirs. The bytes are on the disk, or in the page cache, and not in this process.
final class StoredAnswers: Sendable {
    private static let patience = Duration.seconds(1)
    /// A response after a change counts as at least this many bytes, which bounds the number of open files.
    private static let leastAfterChange = 64 * 1_024

    private let folder: String
    private let limits: ChannelLimits
    /// Bytes on the disk.
    private let disk: SharedBudget
    private let afterChanges: SharedBudget
    /// Bytes of the responses that are being written and are still in memory.
    private let memory: SharedBudget

    init(folder: String, _ limits: ChannelLimits) {
        self.folder = folder
        self.limits = limits
        disk = SharedBudget(limits.storedAnswers)
        afterChanges = SharedBudget(limits.answersToChanges)
        memory = SharedBudget(limits.storingAnswers)
    }

    var byteCount: Int { disk.held + afterChanges.held }

    /// - Parameters:
    ///   - isAfterChange: whether the request may have changed something, so that its response may use `ChannelLimits.answersToChanges`.
    ///   - begin: called when the writing begins. Until then, the caller keeps its turn. There are few turns, so only a few long responses
    ///     can wait for `memory` at a time.
    /// - Throws: `SharedBudget.Refusal`; `BlobError`, also `.full`; the errors of `body`.
    func store(
        _ body: ResponseBody, byteCount: Int, of requester: Requester, isAfterChange: Bool, begin: () -> Void
    ) async throws -> TemporaryBlob {
        let (share, writing) = try await shares(byteCount, requester, isAfterChange: isAfterChange)
        defer { writing?.release() }
        begin()
        let file = try await TemporaryFile.make(in: folder, share: share)
        try await body.write(Writer(file: file))
        return TemporaryBlob(file)
    }

    /// - Returns: the response's share of the disk; its share of the memory while it is written, which a response after a change may do
    ///   without.
    private func shares(
        _ byteCount: Int, _ requester: Requester, isAfterChange: Bool
    ) async throws -> (disk: SharedBudget.Share, writing: SharedBudget.Share?) {
        let counted = isAfterChange ? max(Self.leastAfterChange, byteCount) : byteCount
        do {
            let share = try disk.share(min(counted, limits.storedAnswers.perAccount), of: requester)
            return (share, try await room(byteCount, requester))
        } catch let refusal as SharedBudget.Refusal {
            guard isAfterChange else { throw refusal }
            return (try afterChanges.share(min(counted, limits.answersToChanges.perAccount), of: requester), nil)
        }
    }

    /// Waits for at most `patience` until other responses have been written and leave room. That usually takes milliseconds. A short
    /// response is refused at once: it needs no turn, so the number of waiting short responses would have no limit. The reserve of the
    /// budget usually has room for it.
    private func room(_ byteCount: Int, _ requester: Requester) async throws -> SharedBudget.Share {
        let end = ContinuousClock.now + Self.patience
        while true {
            do throws(SharedBudget.Refusal) {
                return try memory.share(min(byteCount.bufferCapacity, limits.storingAnswers.perAccount), of: requester)
            } catch {
                guard error == .total, byteCount > LongWork.byteCount, .now < end else { throw error }
            }
            try await Task.sleep(for: .milliseconds(5))
        }
    }

    private struct Writer: ResponseBodyWriter {
        let file: TemporaryFile

        mutating func write(_ buffer: ByteBuffer) async throws {
            var rest = buffer
            while let piece = rest.readSlice(length: min(rest.readableBytes, TemporaryFile.pieceByteCount)), piece.readableBytes > 0 {
                try await file.append(piece)
            }
        }

        consuming func finish(_ trailingHeaders: HTTPFields?) async throws { try await file.flush() }
    }
}
