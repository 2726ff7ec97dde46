import Database
import Intelligence
import Jobs
import KeepsakeWire
import Live
import Media
import Search

/// Removes from captures what they hold of a file that is deleted from the library.
extension CaptureStore {
    /// The most captures that may refer to one file. Further captures store the link as text only, because the write that erases the file
    /// changes all captures that refer to it, and delays all other writes meanwhile.
    static let namingLimit = 100

    /// The write that deletes a file removes everything that was derived from the file from at most this many captures. More captures refer
    /// to the file only if a client sends its link again and again. These further captures lose their analysis at once, and the other
    /// derived data when they are processed again.
    static let forgottenAtOnce = 16

    /// The most captures whose analysis one write deletes.
    static let droppedAtOnce = 32
    /// The most counted bytes of the captures whose analysis one write deletes: texts of 2 MB. The rows of these captures are rewritten,
    /// but the captures keep their entries in the index until they are analysed again.
    private static let droppedByteCount = RowBytes.searchable * DeletionStep.byteCount

    /// A capture that names a file, and the bytes that its row counts.
    private typealias Naming = (id: String, rowBytes: Int64?)

    /// Call it before a file is replaced. All captures beyond the first `kept` lose the file, in separate writes. If the texts of these
    /// first ones are long, some of them lose it, too.
    func forgetMost(of file: String, except kept: Int, owner: String) async throws {
        while true {
            try Task.checkCancellation()
            let all = try await naming(file, limit: kept + Self.droppedAtOnce, owner: owner)
            let fitting = DeletionStep.rowCount(all.map { $0.rowBytes }, byteCount: Self.droppedByteCount)
            let rest = all.dropFirst(min(kept, fitting))
            guard !rest.isEmpty else { return }
            try await take(file, from: rest, owner: owner)
        }
    }

    /// Call it before a write that deletes files. While more captures refer to the files than that write should change, this removes the
    /// files from some of these captures, in separate short writes: a write that rewrites thousands of rows with long texts would delay all
    /// other writes. For the captures that it leaves to the caller's write, it removes their photos from contacts.
    /// - Parameter deleted: captures that the caller's write deletes.
    func forgetMost(of files: [String], besides deleted: Set<String> = [], owner: String) async throws {
        var (hasChanged, captures) = (true, [String]())
        // New captures may refer to the first files while this loop handles the last ones.
        while hasChanged {
            var kept: [Int64?] = []
            (hasChanged, captures) = (false, [])
            for file in files {
                while true {
                    try Task.checkCancellation()
                    // A capture may name the file twice, so the limit counts each deleted capture twice.
                    let limit = Self.forgottenAtOnce + Self.droppedAtOnce + 2 * deleted.count
                    let naming = try await naming(file, limit: limit, owner: owner).filter { !deleted.contains($0.id) }
                    let fitting = DeletionStep.rowCount(kept + naming.map { $0.rowBytes })
                    let count = min(Self.forgottenAtOnce, fitting) - kept.count
                    if naming.count <= count {
                        kept += naming.map { $0.rowBytes }
                        captures += naming.map { $0.id }
                        break
                    }
                    hasChanged = true
                    try await take(file, from: naming.dropFirst(count), owner: owner)
                }
            }
        }
        guard !captures.isEmpty else { return }
        let photos = try await database.list(Self.faces(captures, owner: owner)) { row in
            (capture: try row.next("id") as String, media: try row.next("photo_media") as String?)
        }
        let shown = photos.filter { photo in photo.media.map { files.contains($0) } ?? false }
        try await removeFaces(of: shown.map { $0.capture }, owner: owner)
    }

    private func naming(_ file: String, limit: Int, owner: String) async throws -> [Naming] {
        try await database.list(Self.naming(file, owner: owner, limit: limit)) { row in
            (id: try row.next("id"), rowBytes: try row.next("row_bytes"))
        }
    }

    /// Removes the file from the first of these captures, in one write.
    private func take(_ file: String, from naming: ArraySlice<Naming>, owner: String) async throws {
        let few = naming.prefix(Self.droppedAtOnce)
        let some = few.prefix(DeletionStep.rowCount(few.map { $0.rowBytes }, byteCount: Self.droppedByteCount))
        let ids = Array(Set(some.map { $0.id }))
        try await database.write { tx in try forgetTheRest(of: file, among: ids, owner: owner, tx) }
    }

    /// Removes the file from the captures that show it, with what was derived from it: the analysis, an engine's transcription, sentences
    /// of summaries, and contacts that nothing else mentions. The captures are processed again from the rest of their data. Until then no
    /// search finds them: splitting long texts into words in this write would delay all other writes.
    /// - Returns: bytes by which the owner's rows have grown. The caller counts them later: counting locks the account's usage, and the
    ///   write that deletes the file must lock other rows before.
    func forget(file: String, owner: String, _ tx: WriteTransaction) throws -> Int64 {
        let upload = try tx.first(Self.upload(of: file, owner: owner), CaptureFileRow.init)
        let ids = Set(try first(naming: file, owner: owner, tx) + [upload?.capture].compactMap { $0 }).sorted()
        for id in ids { try tx.lock(Self.lock(id, of: owner)) }
        // Read the captures again under the locks.
        let rows = try wholes(ids, owner: owner, tx).map(\.capture).sorted { $0.id < $1.id }
        try tx.run("DELETE FROM capture_file WHERE media = \(file) AND owner = \(owner)")
        var growth: Int64 = 0
        var changed: [StoredCapture] = []
        if !rows.isEmpty { try lockSummaries(of: owner, tx) }
        for old in rows {
            var row = old
            let hasLost = CaptureFileRow.Kind.allCases.filter { row.lose(file, $0, upload) }
            // Another write has replaced the file meanwhile.
            guard !hasLost.isEmpty else { continue }
            row.rowBytes = row.countedBytes
            growth += row.rowBytes - old.rowBytes
            // Names that the words do not contain came from the file.
            let words = [row.transcription].compactMap { $0 }
            let names = old.analysis?.mentionedNames.filter { Grounding.stands($0, in: words) } ?? []
            growth += try mention(names, in: row, tx)
            if hasLost.contains(.photo) {
                try tx.run(Self.removal(ofFace: row.id, owner: owner))
            }
            try search.remove(kind: StoredCapture.kind, id: row.id, owner: owner, tx)
            try change(&row, isAnalysedAgain: true, tx)
            try events.emit(.captureChanged, CaptureEvent(id: row.id), to: owner, tx)
            changed.append(row)
        }
        try unquote(changed, areDeleted: false, owner: owner, tx)
        try forgetTheRest(of: file, owner: owner, tx)
        return growth
    }

    /// The first captures that name the file, at least one if there is any.
    private func first(naming file: String, owner: String, _ tx: ReadTransaction) throws -> [String] {
        try tx.deletionStep(limit: Self.forgottenAtOnce) { Self.naming(file, owner: owner, limit: $0) }
    }

    /// Removes the file from all remaining captures, also from those that were stored after the first statements of `forget`. Reads none of
    /// their texts.
    /// - Parameter ids: only these captures; `nil` for all.
    private func forgetTheRest(of file: String, among ids: [String]? = nil, owner: String, _ tx: WriteTransaction) throws {
        var dropped: [String: (version: Int64, isSilent: Bool)] = [:]
        for statement in Self.drops(of: file, among: ids, owner: owner) {
            for row in try tx.rows(statement) {
                // The second statement may change a capture again.
                dropped[try row.get("id")] = (
                    version: try row.get("version"), isSilent: try row.get("is_silent", as: Int.self) == 1
                )
            }
        }
        let rest = dropped.sorted { $0.key < $1.key }
        try jobs.enqueue(
            all: rest.filter { !$0.value.isSilent }.map { (AnalyseCapture(capture: $0.key, version: $0.value.version), owner) }, tx)
        try jobs.enqueue(
            all: rest.filter { $0.value.isSilent }.map { (TranscribeCapture(capture: $0.key, version: $0.value.version), owner) }, tx)
    }

    // MARK: Statements

    static func upload(of file: String, owner: String) -> SQL {
        "\(sql: CaptureFileRow.table.select) WHERE media = \(file) AND owner = \(owner)"
    }

    /// Captures that name the file.
    static func naming(_ file: String, owner: String, limit: Int) -> SQL {
        """
        SELECT id, row_bytes FROM capture WHERE photo_media = \(file) AND owner = \(owner)
        UNION ALL SELECT id, row_bytes FROM capture WHERE audio_media = \(file) AND owner = \(owner) LIMIT \(limit)
        """
    }

    /// Captures that name the file as their photo or as their recording. Reads no column that is stored after their texts.
    static func ids(naming file: String, as kind: CaptureFileRow.Kind, owner: String, limit: Int) -> SQL {
        let column: SQL =
            switch kind {
            case .photo: "photo_media"
            case .audio: "audio_media"
            }
        return "SELECT id FROM capture WHERE \(sql: column) = \(file) AND owner = \(owner) LIMIT \(limit)"
    }

    static func drops(of file: String, among ids: [String]? = nil, owner: String) -> [SQL] {
        let some: SQL = ids.map { " AND id IN (\(sql: .list($0)))" } ?? ""
        // Words that a person wrote stay.
        let people = SQL.list([StoredCapture.clientEngine, StoredCapture.userEngine])
        // See `StoredCapture.needsTranscription`.
        let next: SQL = """
            id, version, CASE WHEN transcription IS NULL AND transcription_engine IS NULL
                AND (audio_url IS NOT NULL OR audio_media IS NOT NULL) THEN 1 ELSE 0 END AS is_silent
            """
        return [
            """
            UPDATE capture SET photo_media = NULL, photo_url = NULL, analysis = NULL, error = NULL, status = 'received',
                version = version + 1
            WHERE photo_media = \(file) AND owner = \(owner)\(sql: some) RETURNING \(sql: next)
            """,
            """
            UPDATE capture SET audio_media = NULL, audio_url = NULL, analysis = NULL, error = NULL, status = 'received',
                version = version + 1,
                transcription = CASE WHEN transcription_engine IN (\(sql: people)) THEN transcription END,
                transcription_engine = CASE WHEN transcription_engine IN (\(sql: people)) THEN transcription_engine END
            WHERE audio_media = \(file) AND owner = \(owner)\(sql: some) RETURNING \(sql: next)
            """,
        ]
    }
}

extension StoredCapture {
    /// Removes the file and what was derived from it, if the capture shows the file as `kind`.
    /// - Parameter upload: the file's upload for a capture; `nil` when it was not uploaded for one.
    /// - Returns: whether the capture showed the file.
    fileprivate mutating func lose(_ file: String, _ kind: CaptureFileRow.Kind, _ upload: CaptureFileRow?) -> Bool {
        let link = kind == .photo ? photo : audio
        let isUploaded = upload.map { $0.capture == id && $0.kind == kind } ?? false
        guard isUploaded || link.media == file else { return false }
        // The address of the upload itself leads nowhere now. Any other address stays: it is what the client sent.
        let isAddress = link.media == file || link.url.flatMap(OurLink.init).map { $0.leads(to: kind, of: id) } ?? false
        if isAddress {
            if kind == .photo { photo = CaptureLink() } else { audio = CaptureLink() }
        }
        if kind == .audio, isTranscribedByEngine { (transcription, transcriptionEngine) = (nil, nil) }
        analysisText = nil
        return true
    }
}

extension OurLink {
    fileprivate func leads(to kind: CaptureFileRow.Kind, of capture: String) -> Bool {
        if case .upload(_, capture, kind) = self { true } else { false }
    }
}
