import Core
package import NIOCore

/// Receives the texts and files of one request; all uploads pass through it. While a file arrives, the session stages it in a blob, hashes
/// it, checks its first bytes, and stops it when it is too large. It then scans the file for viruses and examines it. It publishes only
/// files that the scanner called clean and whose content has an accepted type. The parser of the request's body calls the session. Only one
/// task at a time may do so.
package final class UploadSession {
    package let rules: UploadRules
    let gate: UploadGate
    /// Whether checkpointed files outlive the process.
    let isResumable: Bool
    /// Keeps the staged bytes within the owner's quota. `nil` when accounts have no quota.
    let allowance: UploadAllowance?
    /// The most bytes that the body may have.
    private var maxBodyByteCount: Int64
    private var isBase64 = false
    var arrived: Int64 = 0
    var texts: [String: String] = [:]
    var counts: [Int]
    var part = Part.none
    var staged: [Staged] = []
    var refusals: [ReceivedUpload.Refusal] = []
    /// The numbers of the files that this session refused. They belong to the last entries of `refusals`.
    private var refusedNumbers: [Int] = []
    private var published: [StagedBlob] = []
    /// Bytes of complete files that may still be in memory, because their syncs have not ended.
    private var unsyncedByteCount: Int64 = 0
    /// Bytes of complete small files that their scans may hold.
    private var scannedByteCount = 0
    /// Complete files of the request that wait for the scanner or are scanned.
    let completeScans = FairSemaphore(.init(permits: 2, permitsPerKey: 2, waiting: .max, waitingPerKey: .max))

    enum Part {
        case none
        case text(field: String, bytes: [UInt8])
        case file(OpenFile)
        /// A part for a file with an empty name. If it has no bytes, it is a form's file input in which the user chose no file.
        case unchosen(field: String)
        case skipped
    }

    struct OpenFile {
        let field: String
        let name: String?
        /// The index of its kind in the rules.
        let kindIndex: Int
        let kind: UploadRules.FileKind
        var head: [UInt8] = []
        var tail: [UInt8] = []
        var byteCount: Int64 = 0
        /// Created after the first bytes have been accepted, so that a refused file never touches the disk.
        var writer: (any BlobWriter)?
        /// Started with the writer. `nil` when virus scanning is off, and in a resumable session, which scans files once they are complete:
        /// a scanner would time out while a phone is offline.
        var scan: (any ScanStream)?
        /// Started with the writer, when the store is on another machine. `nil` also after the session was resumed.
        var spool: BlobSpool?
        /// The number of the file within the request.
        var number = 0

        func abort() async {
            await scan?.abort()
            await writer?.abort()
            spool?.giveUp()
        }

        /// Keeps what was checkpointed.
        func leave() async {
            await scan?.abort()
            spool?.giveUp()
        }
    }

    /// - Parameters:
    ///   - owner: the account whose quota the files use.
    ///   - replacing: bytes that the write of the files' rows frees, and that therefore do not count against the quota.
    ///   - isResumable: whether the session can be checkpointed, and resumed after a restart.
    package convenience init(
        rules: UploadRules, gate: UploadGate, owner: String, replacing: Int64 = 0, isResumable: Bool = false
    ) {
        let allowance = gate.budget.map { UploadAllowance($0, owner: owner, replacing: replacing, isResumable: isResumable) }
        self.init(rules: rules, gate: gate, allowance: allowance, isResumable: isResumable)
    }

    init(rules: UploadRules, gate: UploadGate, allowance: UploadAllowance?, isResumable: Bool) {
        self.rules = rules
        self.gate = gate
        self.allowance = allowance
        self.isResumable = isResumable
        counts = [Int](repeating: 0, count: rules.kinds.count)
        maxBodyByteCount = rules.maxBodyByteCount
    }

    /// Call it when the body encodes its files in base64, and so is longer than the files.
    /// - Parameter maxBodyByteCount: replaces the limit that the rules give.
    package func expectBase64(maxBodyByteCount: Int64) {
        isBase64 = true
        self.maxBodyByteCount = maxBodyByteCount
    }

    // MARK: What the parser says

    /// Checks the length that the client announced, before the body is read.
    /// - Throws: `.tooLarge` when the body exceeds the rules or the owner's quota.
    package func announce(byteCount: Int64?) async throws {
        guard let byteCount else { return }
        if byteCount > maxBodyByteCount { throw tooLargeAltogether }
        do {
            // Three quarters of a base64 text are bytes of the file, and less if escapes and line breaks take up to a sixth of the text. So
            // this check counts five eighths. The bytes that arrive are counted exactly.
            try await allowance?.checkAnnouncedLength(isBase64 ? byteCount / 8 * 5 : byteCount)
        } catch let error as QuotaExceeded {
            throw error.problem
        }
    }

    /// Counts all received bytes, including headers, so that an endless body is refused.
    package func count(arrived byteCount: Int) throws {
        arrived += Int64(byteCount)
        if arrived > maxBodyByteCount { throw tooLargeAltogether }
    }

    package func begin(field: String, fileName: String?) throws {
        // Check this before the names are hashed or compared, because both take very long with many combining marks.
        guard !CombiningMarks.areTooMany(in: field) else { throw CombiningMarks.problem(in: "The name of a field") }
        if let fileName, CombiningMarks.areTooMany(in: fileName) { throw CombiningMarks.problem(in: "filename", field: "filename") }
        if let index = rules.kinds.firstIndex(where: { $0.fields.contains(field) }) {
            let kind = rules.kinds[index]
            guard fileName != "" else { return part = .unchosen(field: field) }
            counts[index] += 1
            guard counts[index] <= kind.maxCount else {
                throw Problem(
                    .invalid, "Send at most \(kind.maxCount) \(kind.maxCount == 1 ? "file" : "files") in one request.", field: field
                )
            }
            if let fileName { _ = try TextRules.line(fileName, field: "filename", max: 255) }
            if let problem = kind.checkName(fileName) { throw problem }
            part = .file(OpenFile(field: field, name: fileName, kindIndex: index, kind: kind, number: counts.reduce(0, +) - 1))
        } else if rules.textFields.contains(field), texts[field] == nil || rules.listFields.contains(field) {
            part = .text(field: field, bytes: [])
        } else if let fileName, !fileName.isEmpty {
            // The file is refused, because otherwise the client would believe that it is kept.
            let names = Set(rules.kinds.flatMap(\.fields)).sorted().joined(separator: ", ")
            throw Problem(.invalid, "This field takes no file. Fields that take files: \(names).", field: field)
        } else {
            part = .skipped
        }
    }

    package func append(_ bytes: ByteBuffer) async throws {
        // The file is refused, because otherwise the client would believe that it is kept.
        if case .unchosen(let field) = part, bytes.readableBytes > 0 { try begin(field: field, fileName: nil) }
        switch part {
        case .none, .unchosen, .skipped: return
        case .text(let field, var value):
            part = .none  // keeps `value` uniquely referenced while it grows
            value.append(contentsOf: bytes.readableBytesView)
            guard value.count <= rules.maxTextByteCount else {
                throw Problem(.invalid, "\(field) is longer than \(rules.maxTextByteCount) bytes.", field: field)
            }
            part = .text(field: field, bytes: value)
        case .file(var file):
            part = .none
            do {
                try await append(bytes, to: &file)
                part = .file(file)
            } catch {
                await end(file, after: error)
                allowance?.returnBytes(ofFile: file.number)
                part = .skipped
                try refuse(file, error)
            }
        }
    }

    package func end() async throws {
        let ended = part
        part = .none
        switch ended {
        case .none, .unchosen, .skipped: return
        case .text(let field, let bytes):
            guard let text = String(validating: bytes, as: UTF8.self), !bytes.contains(0) else {
                throw Problem(.invalid, "\(field) must be UTF-8 without NUL.", field: field)
            }
            guard !CombiningMarks.areTooMany(in: text) else { throw CombiningMarks.problem(in: field, field: field) }
            let whole = texts[field].map { "\($0),\(text)" } ?? text
            guard whole.utf8.count <= rules.maxTextByteCount else {
                throw Problem(.invalid, "\(field) is longer than \(rules.maxTextByteCount) bytes.", field: field)
            }
            texts[field] = whole
        case .file(var file):
            do {
                let sample = FileSample(head: file.head, tail: Array(file.tail.suffix(file.kind.tailByteCount)), byteCount: file.byteCount)
                if file.writer == nil { try await open(&file, isWhole: true) }
                let type = try file.kind.conclude(sample)
                await limitUnsynced(file)
                if file.scan != nil, file.byteCount < Self.scannedOfFile { scannedByteCount += Int(file.byteCount) }
                staged.append(Staged(file, type: type, state: .settling(settling(file, type: type))))
            } catch {
                await end(file, after: error)
                allowance?.returnBytes(ofFile: file.number)
                try refuse(file, error)
            }
        }
    }

    /// The last bytes of a file, up to this many, stay in memory until the file is synced.
    private static let unsyncedOfFile: Int64 = 524_288
    /// Ten photos of 100 KB are synced at the same time.
    private static let mostUnsynced: Int64 = 1_048_576

    /// Waits for the syncs of the request's earlier files when too many of their bytes may be in memory. On a slow disk, many requests with
    /// ten files each could otherwise hold five times the memory that counts for them (`ChannelLimits.uploadByteCount`).
    private func limitUnsynced(_ file: OpenFile) async {
        // On its way to an object store, a file is on the disk.
        guard !gate.store.isRemote else { return }
        let byteCount = min(file.byteCount, Self.unsyncedOfFile)
        unsyncedByteCount += byteCount
        guard unsyncedByteCount > Self.mostUnsynced else { return }
        await syncEarlier()
        unsyncedByteCount = byteCount
    }

    /// Deletes the bytes of a refused file. If the error is not about the file, for example because the object store is unavailable or another
    /// node has taken the upload over, what was checkpointed stays, so that the upload can be resumed.
    private func end(_ file: OpenFile, after error: any Error) async {
        if keepsCheckpoint(after: error) { await file.leave() } else { await file.abort() }
    }

    /// Whether the error is not about the file, so that the upload can be resumed at its checkpoint.
    func keepsCheckpoint(after error: any Error) -> Bool {
        guard isResumable else { return false }
        if let problem = error as? Problem { return problem.kind == .unavailable }
        return !(error is FileRefused || error is QuotaExceeded)
    }

    /// Writes to disk what the request's files hold in memory, except `keptByteCount`. Errors come from the next call that concerns the file.
    package func writeOut() async {
        if case .file(let file) = part {
            await file.writer?.writeOut()
            await file.spool?.writeOut()
        }
        await syncEarlier()
    }

    /// The bytes that stay in memory after `writeOut`: texts, and complete small files that are scanned or wait for that.
    package var keptByteCount: Int { scannedByteCount + textByteCount }

    /// The texts so far, in bytes.
    package var textByteCount: Int {
        let complete = texts.values.reduce(0) { $0 + $1.utf8.count }
        if case .text(_, let bytes) = part { return complete + bytes.count }
        return complete
    }

    /// A scan holds the bytes of a shorter file until a connection to the scanner is free. It sends a longer one while the file arrives.
    private static let scannedOfFile: Int64 = 65_536

    /// Waits until the request's complete files are on the disk or in the object store.
    private func syncEarlier() async {
        for earlier in staged {
            if case .settling(let settling) = earlier.state { _ = await settling.synced.result }
        }
        unsyncedByteCount = 0
    }

    // MARK: The end

    /// Makes every accepted file durable under its final key.
    /// - Throws: `.unavailable` when the scanner or the examiner was unavailable; then nothing of the request is kept.
    package func finish() async throws -> ReceivedUpload {
        // Wait for the verdicts on all files first: until then no file is published.
        try await settle()
        var files: [ReceivedUpload.File] = []
        for file in staged {
            guard case .settled(let settled) = file.state else { preconditionFailure("settle leaves none unsettled") }
            files.append(
                ReceivedUpload.File(
                    field: file.field, name: file.name, facts: settled.facts, blob: settled.blob, reservation: allowance?.reservation?.id))
        }
        published = files.map(\.blob)
        try await gate.store.publish(published)
        return ReceivedUpload(texts: texts, files: files, refusals: refusals, store: gate.store, allowance: allowance)
    }

    /// Deletes everything that was received.
    package func abort() async {
        if case .file(let file) = part { await file.abort() }
        for file in staged { await file.abort(gate.store) }
        for blob in published { try? await gate.store.delete(blob.key) }
        await allowance?.release()
        part = .none
        staged = []
        published = []
    }

    // MARK: One file

    private func append(_ bytes: ByteBuffer, to file: inout OpenFile) async throws {
        file.byteCount += Int64(bytes.readableBytes)
        guard file.byteCount <= file.kind.maxByteCount else {
            throw Problem(.tooLarge, "The file is larger than \(SizeText.limit(file.kind.maxByteCount)).", field: file.field)
        }
        keepEnds(of: bytes, in: &file)
        if file.writer != nil {
            try await keep(bytes, in: file)
        } else if file.byteCount >= file.kind.windowByteCount {
            let before = file.byteCount - Int64(bytes.readableBytes)
            try await open(&file, isWhole: false, heldByteCount: Int(before))
            try await keep(bytes, in: file)
        }
    }

    private func keep(_ bytes: ByteBuffer, in file: OpenFile) async throws {
        try await allowance?.reserve(bytes.readableBytes, forFile: file.number)
        try await file.writer?.append(bytes)
        try await file.scan?.append(bytes)
        await file.spool?.append(bytes)
    }

    /// - Parameter heldByteCount: how many bytes of the head are not written yet; by default all of them.
    private func open(_ file: inout OpenFile, isWhole: Bool, heldByteCount: Int? = nil) async throws {
        if let problem = file.kind.recognise(file.head, isWhole) { throw problem }
        file.writer = try await gate.store.stage(isResumable: isResumable)
        if !isResumable { file.scan = gate.scanner?.scanWhileArriving() }
        if gate.store.isRemote, gate.examiner != nil { file.spool = await gate.files?.spool() }
        let held = file.head.prefix(heldByteCount ?? file.head.count)
        if !held.isEmpty { try await keep(ByteBuffer(bytes: held), in: file) }
    }

    private func keepEnds(of bytes: ByteBuffer, in file: inout OpenFile) {
        let view = bytes.readableBytesView
        if file.head.count < file.kind.windowByteCount {
            file.head.append(contentsOf: view.prefix(file.kind.windowByteCount - file.head.count))
        }
        file.tail.append(contentsOf: view.suffix(file.kind.tailByteCount))
        // Trim the tail only when it is twice as long as needed, so that a slow body does not move the tail for every byte that arrives.
        if file.tail.count > 2 * file.kind.tailByteCount { file.tail.removeFirst(file.tail.count - file.kind.tailByteCount) }
    }

    func refuse(_ file: OpenFile, _ error: any Error) throws {
        try refuse(name: file.name, field: file.field, number: file.number, kind: file.kind, error)
    }

    /// Adds the file to the refused ones, or ends the request.
    func refuse(name: String?, field: String, number: Int, kind: UploadRules.FileKind, _ error: any Error) throws {
        var refusal = error
        // The account is over its quota, so the other files would not fit either.
        if let exceeded = error as? QuotaExceeded { throw exceeded.problem }
        if error is ScannerUnavailable { refusal = Self.unscanned }
        if let refused = error as? FileRefused { refusal = Problem(kind.refusal.kind, refused.message, field: field) }
        // The error is not about this file, so end the request instead of refusing the file.
        guard var problem = refusal as? Problem, problem.kind != .unavailable else { throw refusal }
        // The refusal names a field of the rules. The request may have sent the file in another field of the same kind.
        if let named = problem.field, kind.fields.contains(named) { problem.field = field }
        guard rules.keepsTheOthers else {
            // Where a request may have several files, the client must learn which one it is.
            if kind.maxCount > 1 { problem.message = ReceivedUpload.Refusal.line(name, number, problem) }
            throw problem
        }
        // Keep the order of the files, although a verdict may arrive after the refusal of a later file.
        let place = refusedNumbers.firstIndex { $0 > number } ?? refusedNumbers.endIndex
        refusedNumbers.insert(number, at: place)
        let refused = ReceivedUpload.Refusal(name: name, number: number, problem: problem)
        refusals.insert(refused, at: refusals.count - (refusedNumbers.count - 1) + place)
    }

    private static let unscanned = Problem(
        .unavailable, "Files cannot be scanned for viruses now; send them again later.", retryAfter: .seconds(10))

    private var tooLargeAltogether: Problem {
        if isBase64 { return Problem(.tooLarge, "The body is larger than \(SizeText.rounded(maxBodyByteCount)).") }
        if maxBodyByteCount == rules.requestByteCount {
            return Problem(.tooLarge, "The request is larger than \(SizeText.limit(maxBodyByteCount)).")
        }
        return Problem(.tooLarge, "The request is larger than the \(SizeText.rounded(maxBodyByteCount)) it could hold.")
    }
}
