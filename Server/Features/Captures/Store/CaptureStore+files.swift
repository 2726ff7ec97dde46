import Database
import Intelligence
import KeepsakeWire
import Live
import Search

/// What captures have of a file that is deleted from the library.
extension CaptureStore {
    /// Captures that lose every trace of a deleted file in the write that deletes it. More can name one file only if a client sends its link
    /// again and again; those lose their analysis at once, and the rest when they are processed again.
    static let forgottenAtOnce = 100

    /// Removes the file from the captures that show it, with what was read in it or heard in it: the analysis, words of an engine, their
    /// tokens in the index, sentences of summaries, and contacts that no other words mention. The captures are processed again from what is
    /// left of them.
    /// - Returns: bytes by which the owner's rows have grown. They are not counted yet: counting locks the account's usage, and the write
    ///   that deletes the file locks other rows before that.
    func forget(file: String, owner: String, _ tx: WriteTransaction) throws -> Int64 {
        let upload = try tx.first(Self.upload(of: file, owner: owner), CaptureFileRow.init)
        let naming: [String] = try tx.list(Self.naming(file, owner: owner, limit: Self.forgottenAtOnce)) { try $0.next("id") }
        let ids = Set(naming + [upload?.capture].compactMap { $0 }).sorted()
        for id in ids { try tx.lock(Self.lock(id, of: owner)) }
        // Read again under the locks.
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
            // Names that the words do not say are those of the file.
            let words = [row.transcription].compactMap { $0 }
            let names = old.analysis?.mentionedNames.filter { Grounding.stands($0, in: words) } ?? []
            growth += try mention(names, in: row, tx)
            if hasLost.contains(.photo) {
                try tx.run("UPDATE contact SET face_capture = NULL WHERE owner = \(owner) AND face_capture = \(row.id)")
            }
            try search.put(row.document(nil), tx)
            try change(&row, isAnalysedAgain: true, tx)
            try events.emit(.captureChanged, CaptureEvent(id: row.id), to: owner, tx)
            changed.append(row)
        }
        try unquote(changed, owner: owner, tx)
        try forgetTheRest(of: file, owner: owner, tx)
        return growth
    }

    /// Also finds captures that were stored after the first statements of `forget`.
    private func forgetTheRest(of file: String, owner: String, _ tx: WriteTransaction) throws {
        let ids: [String] = try Self.drops(of: file, owner: owner).flatMap { statement in
            try tx.rows(statement).map { try $0.get("id") }
        }
        guard !ids.isEmpty else { return }
        for start in stride(from: 0, to: ids.count, by: 500) {
            let part = Array(Set(ids[start..<min(start + 500, ids.count)]))
            try enqueueFirst(try wholes(part, owner: owner, tx).map(\.capture), tx)
        }
    }

    // MARK: Statements

    static func upload(of file: String, owner: String) -> SQL {
        "\(sql: CaptureFileRow.table.select) WHERE media = \(file) AND owner = \(owner)"
    }

    /// Ids of captures that name the file.
    static func naming(_ file: String, owner: String, limit: Int) -> SQL {
        """
        SELECT id FROM capture WHERE photo_media = \(file) AND owner = \(owner)
        UNION ALL SELECT id FROM capture WHERE audio_media = \(file) AND owner = \(owner) LIMIT \(limit)
        """
    }

    static func drops(of file: String, owner: String) -> [SQL] {
        // Words that a person wrote stay.
        let people = SQL.list([StoredCapture.clientEngine, StoredCapture.userEngine])
        return [
            """
            UPDATE capture SET photo_media = NULL, photo_url = NULL, analysis = NULL, error = NULL, status = 'received',
                version = version + 1
            WHERE photo_media = \(file) AND owner = \(owner) RETURNING id
            """,
            """
            UPDATE capture SET audio_media = NULL, audio_url = NULL, analysis = NULL, error = NULL, status = 'received',
                version = version + 1,
                transcription = CASE WHEN transcription_engine IN (\(sql: people)) THEN transcription END,
                transcription_engine = CASE WHEN transcription_engine IN (\(sql: people)) THEN transcription_engine END
            WHERE audio_media = \(file) AND owner = \(owner) RETURNING id
            """,
        ]
    }
}

extension StoredCapture {
    /// Removes the file and what was made of it, if the capture shows it as its photo or as its recording.
    /// - Parameter upload: for which capture the file was uploaded.
    /// - Returns: whether it showed it.
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
