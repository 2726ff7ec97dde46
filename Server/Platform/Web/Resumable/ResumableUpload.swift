package import Blobs
import Core
package import NIOCore

/// An upload that can be interrupted and resumed, by this process or another. It uses the same session as every other body, and stores the
/// session, the parser and the offset together in the journal.
///
/// One task at a time uses it. When another connection resumes the upload, it gets a new epoch; this one then fails at its next append or
/// checkpoint.
package final class ResumableUpload {
    /// The format of the upload's bytes.
    package enum Body: Sendable {
        /// multipart/form-data, with its boundary.
        case form(boundary: String)
        /// The bytes of one file, without a form. The session treats them like a form's part `field` with the file name `name`.
        case file(field: String, name: String?)
    }

    /// The state in the journal.
    struct State: Codable, Sendable {
        enum Parsing: Codable, Sendable {
            case form(FormSteps)
            /// The session's part for the file has begun.
            case file
        }
        var parsing: Parsing
        var session: UploadCheckpoint
    }

    package private(set) var hold: UploadJournal.Hold
    /// Bytes of the body that the upload has read. Those up to the last checkpoint are durable.
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
    ///   - id: need not be unguessable, because every look-up includes the owner.
    ///   - purpose: a constant of the route.
    /// - Throws: `Problem(.tooLarge)` for an announced length that exceeds the rules' limit.
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

    /// Resumes an upload at its last checkpoint.
    /// - Returns: `nil` when this owner has no such upload for this purpose, or when its bytes no longer exist.
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

    /// Appends bytes of the body. They are durable after the next checkpoint.
    /// - Throws: `Problem(.conflict)` when `offset` is not the upload's offset, or `epoch` is not the one with which this object holds
    ///   the upload; the rules' errors.
    package func append(epoch: Int64, offset: Int64, _ bytes: ByteBuffer) async throws {
        guard epoch == hold.epoch, offset == self.offset else {
            throw Problem(.conflict, "The upload's offset is \(self.offset), not \(offset).", field: "Upload-Offset")
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

    /// Makes all bytes so far durable, at any position in the body.
    /// - Returns: the offset to report to the client.
    /// - Throws: `Problem(.conflict)` when another connection has resumed the upload.
    @discardableResult
    package func checkpoint() async throws -> Int64 {
        try await journal.save(hold, offset: offset, state: State(parsing: parsing, session: try await session.checkpoint()))
        return offset
    }

    /// Completes the upload: its files get their final keys. Make the rows in one write with `journal.end(hold, tx)`.
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

    /// Ends the upload and deletes its bytes. If another connection, maybe on another node, has resumed the upload, nothing is deleted,
    /// because that connection uses the files that are complete already.
    /// - Throws: the database's error. The upload can then still be resumed. Its bytes are deleted when it is too old for that.
    package func abort() async throws {
        if try await journal.abandon(hold) { await session.abort() }
    }
}

extension UploadSession {
    /// Applies one step of a form.
    func take(_ step: FormSteps.Step) async throws {
        switch step {
        case .begin(let headers): try begin(field: headers.name, fileName: headers.filename)
        case .append(let bytes): try await append(bytes)
        case .end: try await end()
        }
    }
}
