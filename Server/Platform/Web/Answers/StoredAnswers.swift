import Blobs
import Core
import HTTPServer
import HTTPTypes
import Hummingbird
import NIOCore

/// Writes complete responses to temporary files when the memory for them (`AnswersInFlight`) is used up. So a dozen networks that read none
/// of their long lists cannot exclude all others from theirs. The bytes are on the disk, or in the page cache, and not in this process.
final class StoredAnswers: Sendable {
    private let folder: String
    private let limits: ChannelLimits
    /// Bytes on the disk.
    private let disk: SharedBudget
    /// Bytes of the responses that are being written and are still in memory.
    private let memory: SharedBudget

    init(folder: String, _ limits: ChannelLimits) {
        self.folder = folder
        self.limits = limits
        disk = SharedBudget(limits.storedAnswers)
        memory = SharedBudget(limits.storingAnswers)
    }

    var byteCount: Int { disk.held }

    /// - Throws: `SharedBudget.Refusal`; `BlobError`, also `.full`; the errors of `body`.
    func store(_ body: ResponseBody, byteCount: Int, of requester: Requester) async throws -> TemporaryBlob {
        let share = try disk.share(min(byteCount, limits.storedAnswers.perAccount), of: requester)
        let writing = try memory.share(min(byteCount.bufferCapacity, limits.storingAnswers.perAccount), of: requester)
        defer { writing.release() }
        let file = try await TemporaryFile.make(in: folder, share: share)
        try await body.write(Writer(file: file))
        return TemporaryBlob(file)
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
