import Core

/// The durable state of an upload, stored in the database. It holds at most some hundred KB: the texts, and the first and last few KB of
/// the file that is arriving.
package struct UploadCheckpoint: Codable, Sendable {
    struct File: Codable, Sendable {
        let field: String
        let name: String?
        let kind: Int
        let head: [UInt8]
        let tail: [UInt8]
        let byteCount: Int64
        /// `nil` until the file's first bytes have been checked; until then `head` holds all its bytes.
        let blob: BlobCheckpoint?
    }

    struct Staged: Codable, Sendable {
        let field: String
        let name: String?
        let kind: Int
        let number: Int
        let settled: UploadSession.Settled
    }

    struct Refusal: Codable, Sendable {
        let name: String?
        /// `nil` in a checkpoint of an earlier version.
        let number: Int?
        let kind: Int
        let message: String
        let field: String?
    }

    enum Part: Codable, Sendable {
        case none
        case text(field: String, bytes: [UInt8])
        case file(File)
        case unchosen(field: String)
        case skipped
    }

    let arrived: Int64
    let texts: [String: String]
    let counts: [Int]
    let part: Part
    let staged: [Staged]
    let refusals: [Refusal]
    /// The quota reservation for the staged bytes. `nil` when nothing is staged, or when accounts have no quota.
    let reservation: UploadAllowance.Reservation?
}

extension UploadSession {
    /// Returns when all received bytes are durable, so that `resume` can continue from here after a crash. Complete files are scanned and
    /// examined first.
    /// - Throws: `BlobError.notResumable`, the error of a write or sync, and the refusals of `finish`.
    package func checkpoint() async throws -> UploadCheckpoint {
        guard isResumable else { throw BlobError.notResumable }
        try await settle()
        let files = staged.map { file in
            guard case .settled(let settled) = file.state else { preconditionFailure("settle leaves none unsettled") }
            return UploadCheckpoint.Staged(
                field: file.field, name: file.name, kind: file.kindIndex, number: file.number, settled: settled)
        }
        return UploadCheckpoint(
            arrived: arrived, texts: texts, counts: counts, part: try await checkpointedPart(), staged: files,
            refusals: refusals.map {
                .init(
                    name: $0.name, number: $0.number, kind: $0.problem.kind.rawValue, message: $0.problem.message, field: $0.problem.field)
            }, reservation: allowance?.reservation)
    }

    private func checkpointedPart() async throws -> UploadCheckpoint.Part {
        switch part {
        case .none: return .none
        case .unchosen(let field): return .unchosen(field: field)
        case .skipped: return .skipped
        case .text(let field, let bytes): return .text(field: field, bytes: bytes)
        case .file(let file):
            return .file(
                UploadCheckpoint.File(
                    field: file.field, name: file.name, kind: file.kindIndex, head: file.head, tail: file.tail,
                    byteCount: file.byteCount, blob: try await file.writer?.checkpoint()))
        }
    }

    /// Continues from a checkpoint of another session, under the same rules. If that session still exists in this process, it can no longer
    /// write.
    /// - Throws: `BlobError.missing` or `.stale` when the bytes are gone or too old; `.notResumable` when the checkpoint does not fit the
    ///   rules.
    package static func resume(
        _ checkpoint: UploadCheckpoint, rules: UploadRules, gate: UploadGate, owner: String
    ) async throws -> UploadSession {
        let allowance = gate.budget.map {
            UploadAllowance($0, owner: owner, replacing: 0, isResumable: true, resuming: checkpoint.reservation)
        }
        let session = UploadSession(rules: rules, gate: gate, allowance: allowance, isResumable: true)
        // A checkpoint that does not match the rules comes from a version with other rules. It is unknown which files that version allowed.
        guard checkpoint.counts.count == rules.kinds.count, checkpoint.staged.allSatisfy({ rules.kinds.indices.contains($0.kind) })
        else { throw BlobError.notResumable }
        session.arrived = checkpoint.arrived
        session.texts = checkpoint.texts
        session.counts = checkpoint.counts
        session.staged = checkpoint.staged.map {
            Staged(
                field: $0.field, name: $0.name, kindIndex: $0.kind, kind: rules.kinds[$0.kind], number: $0.number, settled: $0.settled)
        }
        for file in session.staged {
            if case .settled(let settled) = file.state { allowance?.restore(settled.blob.byteCount, of: file.number) }
        }
        session.refusals = checkpoint.refusals.enumerated().map { index, refusal in
            ReceivedUpload.Refusal(
                name: refusal.name, number: refusal.number ?? index,
                problem: Problem(Problem.Kind(rawValue: refusal.kind) ?? .invalid, refusal.message, field: refusal.field))
        }
        switch checkpoint.part {
        case .none: session.part = .none
        case .unchosen(let field): session.part = .unchosen(field: field)
        case .skipped: session.part = .skipped
        case .text(let field, let bytes): session.part = .text(field: field, bytes: bytes)
        case .file(let file):
            guard rules.kinds.indices.contains(file.kind) else { throw BlobError.notResumable }
            var open = OpenFile(field: file.field, name: file.name, kindIndex: file.kind, kind: rules.kinds[file.kind])
            (open.head, open.tail, open.byteCount) = (file.head, file.tail, file.byteCount)
            open.number = checkpoint.counts.reduce(0, +) - 1
            if let blob = file.blob {
                open.writer = try await gate.store.resume(blob)
                allowance?.restore(blob.byteCount, of: open.number)
            }
            session.part = .file(open)
        }
        return session
    }
}
