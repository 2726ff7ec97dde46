package import Blobs
import Core
package import NIOCore

/// An upload that may be interrupted and gone on with, by this process or by another. It feeds the same session as every other body;
/// what it adds is that session, parser and offset are kept together in the journal.
///
/// One task at a time drives it. Another connection that takes the upload up gets a new epoch, and this one is told so at its next
/// append or checkpoint.
package final class ResumableUpload {
    /// What the bytes are.
    package enum Body: Sendable {
        /// multipart/form-data, with its boundary.
        case form(boundary: String)
        /// One file, as it stands under `field` in a form.
        case file(field: String, name: String?)
    }

    /// As the journal has it.
    struct State: Codable, Sendable {
        enum Parsing: Codable, Sendable {
            case form(FormSteps)
            /// Its part has begun.
            case file
        }
        var parsing: Parsing
        var session: UploadCheckpoint
    }

    package private(set) var hold: UploadJournal.Hold
    /// Bytes of the body that were taken so far; up to the last checkpoint they are durable.
    package private(set) var offset: Int64
    private var parsing: State.Parsing
    private let session: UploadSession
    private let journal: UploadJournal

    private init(
        _ hold: UploadJournal.Hold, _ offset: Int64, _ parsing: State.Parsing, _ session: UploadSession, _ journal: UploadJournal
    ) {
        self.hold = hold
        self.offset = offset
        self.parsing = parsing
        self.session = session
        self.journal = journal
    }

    /// - Parameters:
    ///   - id: unguessable or not: the owner is part of every question.
    ///   - purpose: a constant of the route.
    /// - Throws: `Problem(.tooLarge)` for an announced length that the rules could never allow.
    package static func create(
        _ id: String, owner: String, purpose: String, body: Body, byteCount: Int64?, rules: UploadRules, gate: UploadGate,
        journal: UploadJournal
    ) async throws -> ResumableUpload {
        let session = UploadSession(rules: rules, gate: gate, owner: owner, isResumable: true)
        try await session.announce(byteCount: byteCount)
        let parsing: State.Parsing
        switch body {
        case .form(let boundary): parsing = .form(FormSteps(boundary: boundary))
        case .file(let field, let name):
            try session.begin(field: field, fileName: name)
            parsing = .file
        }
        let state = State(parsing: parsing, session: try await session.checkpoint())
        let hold = try await journal.create(id, owner: owner, purpose: purpose, state: state)
        return ResumableUpload(hold, 0, parsing, session, journal)
    }

    /// Goes on with an upload where it was last checkpointed.
    /// - Returns: `nil` when there is no such upload of this owner for this purpose, or its bytes are gone.
    package static func takeUp(
        _ id: String, owner: String, purpose: String, rules: UploadRules, gate: UploadGate, journal: UploadJournal
    ) async throws -> ResumableUpload? {
        guard let entry = try await journal.takeUp(id, owner: owner, purpose: purpose, as: State.self) else { return nil }
        do {
            let session = try await UploadSession.resume(entry.state.session, rules: rules, gate: gate, owner: owner)
            return ResumableUpload(entry.hold, entry.offset, entry.state.parsing, session, journal)
        } catch BlobError.missing, BlobError.stale {
            return nil
        }
    }

    /// Takes bytes of the body. They are durable after the next checkpoint.
    /// - Throws: `Problem(.conflict)` when `offset` is not where the upload stands, or `epoch` is not this hold's; what the rules refuse.
    package func append(epoch: Int64, offset: Int64, _ bytes: ByteBuffer) async throws {
        guard epoch == hold.epoch, offset == self.offset else {
            throw Problem(.conflict, "The upload stands at \(self.offset), not at \(offset).", field: "Upload-Offset")
        }
        try session.count(arrived: bytes.readableBytes)
        switch parsing {
        case .file: try await session.append(bytes)
        case .form(var form):
            do {
                let steps = try form.steps(in: bytes)
                parsing = .form(form)
                for step in steps { try await session.take(step) }
            } catch let error as MultipartError {
                throw Problem(.invalid, error.message)
            }
        }
        self.offset += Int64(bytes.readableBytes)
    }

    /// Makes what was taken durable, wherever in the body it ends.
    /// - Returns: the offset a client may be told.
    /// - Throws: `Problem(.conflict)` when another connection has taken the upload up.
    @discardableResult
    package func checkpoint() async throws -> Int64 {
        try await journal.save(hold, offset: offset, state: State(parsing: parsing, session: try await session.checkpoint()))
        return offset
    }

    /// The body is whole: its files get their final keys. The rows are made in one write with `journal.end(hold, tx)`.
    package func finish() async throws -> ReceivedUpload {
        switch parsing {
        case .file: try await session.end()
        case .form(var form):
            do {
                try form.finish()
            } catch let error as MultipartError {
                throw Problem(.invalid, error.message)
            }
        }
        return try await session.finish()
    }

    /// Leaves nothing of it behind on the disk.
    package func abort() async { await session.abort() }
}

extension UploadSession {
    /// What a form's parser says.
    func take(_ step: FormSteps.Step) async throws {
        switch step {
        case .begin(let headers): try begin(field: headers.name, fileName: headers.filename)
        case .append(let bytes): try await append(bytes)
        case .end: try await end()
        }
    }
}
