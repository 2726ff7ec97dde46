import Blobs
import Core
import Database
import Jobs
import MediaFrames
import MediaTools

/// Runs the job that converts a film. After a crash the next attempt starts again from the film's beginning.
struct FilmConversion: Sendable {
    let store: MediaStore
    let blobs: any BlobStore
    let files: BlobFiles
    let workers: MediaWorkers
    let converter: FilmConverter

    /// The time between two checks whether the film still exists.
    private static let pause = Duration.seconds(1)

    private enum Made: Sendable {
        /// Browsers play the original.
        case nothing
        /// Finished but not published.
        case copy(StagedBlob)
        /// The film was deleted.
        case gone
    }

    func run(_ run: JobRun<ConvertFilm>) async throws {
        let id = run.payload.media
        let owner = try run.requireOwner()
        guard let asset = try await store.asset(id, owner: owner) else { return try await end(run, as: .failed) }
        // Another file of the account with the same bytes already has a copy.
        if try await store.variant(of: asset.blob, FilmCopy.name) != nil { return try await end(run, as: .copy) }
        do {
            switch try await whileKept(asset, { try await make(asset) }) {
            case .nothing: try await end(run, as: .original)
            case .gone: try await end(run, as: .failed)
            case .copy(let staged): try await keep(staged, of: asset, run)
            }
        } catch let failure as MediaFailure {
            // A cancelled run also ends with such a failure.
            try Task.checkCancellation()
            switch failure {
            case .timedOut, .refused(.tooManyBytes): try await end(run, as: .beyondLimits)
            case .refused: try await end(run, as: .damaged)
            case .crashed, .outputLost: throw JobFailure.temporary("the film was not converted: \(failure)", after: .zero)
            }
        }
    }

    func whenParked(_ job: ConvertFilm, _ owner: String?, _ reason: String, _ tx: WriteTransaction) throws {
        if let owner { try store.end(job.media, of: owner, as: .failed, tx) }
    }

    private func end(_ run: JobRun<ConvertFilm>, as playback: Playback) async throws {
        guard let owner = run.owner else { return }
        let id = run.payload.media
        try await run.complete { [store] tx in _ = try store.end(id, of: owner, as: playback, tx) }
    }

    private func make(_ asset: Asset) async throws -> Made {
        try await files.withFile(of: asset.blob, in: blobs, for: asset.owner) { original in
            let facts = try await workers.videoFacts(original)
            if facts.playsInBrowsers == true { return .nothing }
            let file = try await TemporaryFile.make(in: files.folder)
            try await converter.convert(original, facts, to: file.descriptor)
            // The copy comes from a sandboxed process that has read a hostile file, so it is examined like an upload.
            guard try await workers.videoFacts(file.descriptor).playsInBrowsers == true else { throw MediaFailure.refused(.unreadable) }
            let writer = try await blobs.stage()
            do {
                try await file.copy(to: writer)
                return .copy(try await writer.finish())
            } catch {
                await writer.abort()
                throw error
            }
        }
    }

    /// Runs `body`, and cancels it when the film is deleted meanwhile.
    private func whileKept(_ asset: Asset, _ body: @escaping @Sendable () async throws -> Made) async throws -> Made {
        try await withThrowingTaskGroup(of: Made.self) { group in
            group.addTask { try await body() }
            group.addTask { [store] in
                while true {
                    try await Task.sleep(for: Self.pause)
                    // An error of the database does not mean that the film was deleted.
                    if let found = try? await store.database.read({ tx in try store.asset(asset.id, owner: asset.owner, tx) != nil }),
                        !found
                    {
                        return .gone
                    }
                }
            }
            defer { group.cancelAll() }
            let made = try await group.next() ?? .gone
            guard case .gone = made else { return made }
            group.cancelAll()
            // The copy may have been finished in the same moment.
            while let other = try? await group.next() {
                if case .copy(let staged) = other { try? await blobs.delete(staged.key) }
            }
            return .gone
        }
    }

    private func keep(_ staged: StagedBlob, of asset: Asset, _ run: JobRun<ConvertFilm>) async throws {
        do {
            try await blobs.publish([staged])
        } catch {
            try? await blobs.delete(staged.key)
            throw error
        }
        do {
            try await blobs.settle([staged.key]) {
                ((), surplus: try await run.complete { [store] tx in try store.end(asset, with: staged, tx) })
            }
        } catch let lost as LeaseLost {
            // The account was deleted, or another attempt has the job. The bytes have a row only if a commit succeeded that seemed to fail.
            // Without a row, nothing refers to them.
            let row = try await store.database.read { [store] tx in try store.ledger.row(staged.key, tx) }
            if row == nil { try? await blobs.delete(staged.key) }
            throw lost
        }
    }
}
