public import Foundation
public import KeepsakeWire

/// Moments that an app records as they happen, and what the server makes of them: summaries and known contacts.
public struct Captures: Sendable {
    let client: Client
    let events: Events
    private let line: CaptureLine

    init(client: Client, events: Events) {
        self.client = client
        self.events = events
        line = CaptureLine(client: client)
    }

    // MARK: Recording

    /// Uploads the files, then sends the capture. When this returns, the capture is durable on the server, which processes it afterwards.
    ///
    /// If the app ends before this returns, the capture may be lost. `QueuedCall.capture` keeps the capture on the disk until the server
    /// has it.
    /// - Parameters:
    ///   - photo: JPEG, PNG, WebP or HEIC, at most 50 MB.
    ///   - audio: M4A, MP3 or WAV, at most 50 MB.
    ///   - transcription: at most 100,000 characters, and 256 KB as JSON; if it is `nil`, the server transcribes the recording.
    ///   - at: when it happened; the server keeps milliseconds. If you pass an `id`, pass `at` too: the server treats the same id with
    ///     another time as another capture.
    ///   - id: 1…128 ASCII letters, digits, `.`, `_` or `-`, but not `.` or `..`; by default a new one. Sending the same capture again
    ///     under the same id changes nothing.
    ///   - progress: reports the progress of both files together.
    /// - Throws: `unsupported` when the transport has no WebSockets; `id_in_use` when another capture has this id; `quota_exceeded`;
    ///   `invalid_request` when the transcription is too long for one message.
    public func capture(
        photo: URL? = nil, audio: URL? = nil, transcription: String? = nil, at: Date = Date(), id: String? = nil,
        progress: ProgressHandler? = nil
    ) async throws -> CaptureReceipt {
        let id = id ?? client.randomness.id()
        try Self.check(id)
        // Check the length before the uploads, which would otherwise be useless.
        _ = try CaptureInput(id: id, timestamp: at, transcription: transcription).message()
        let session = try await client.session.currentID()
        let report = ProgressReport(progress)
        let files = ["photo": photo, "audio": audio].compactMapValues { $0 }.sorted { $0.key > $1.key }
        var links: [String: String] = [:]
        for (index, (name, file)) in files.enumerated() {
            let progress = report?.part(index, of: files.count)
            links[name] = try await upload(file, id: id, key: "\(id)-\(name)", session, progress).url
        }
        let receipt = try await send(
            CaptureInput(
                id: id, timestamp: at, photoURL: links["photo"], audioURL: links["audio"], transcription: transcription), session)
        await report?.finish()
        return receipt
    }

    /// Uploads a photo or a recording of a capture, before or after the capture itself.
    /// - Parameter key: as in `Keepsake.send`.
    public func upload(
        _ file: URL, id: String, key: String? = nil, progress: ProgressHandler? = nil
    ) async throws -> CaptureUploadResponse {
        let report = ProgressReport(progress)
        let response = try await upload(file, id: id, key: key, nil, report?.report)
        await report?.finish()
        return response
    }

    /// Sends a capture and waits until the server has stored it.
    public func send(_ capture: CaptureInput) async throws -> CaptureReceipt { try await send(capture, nil) }

    func send(_ capture: CaptureInput, _ session: StoredSession.ID?) async throws -> CaptureReceipt {
        try Self.check(capture.id)
        return try await line.send(capture, session)
    }

    private static func check(_ id: String) throws {
        guard CaptureInput.isID(id) else {
            throw KeepsakeError(.invalidRequest, "The id of a capture is 1 to 128 ASCII letters, digits, '.', '_' or '-'.", field: "id")
        }
    }

    private func upload(
        _ file: URL, id: String, key: String?, _ session: StoredSession.ID?, _ progress: TransportProgress?
    ) async throws -> CaptureUploadResponse {
        var form = MultipartForm()
        form.files = [.init(name: "file", fileName: file.lastPathComponent, content: .file(file))]
        return try await client.send(CaptureEndpoints.upload, .init(key: key, partProgress: progress, sessionID: session), form: form) {
            _ in
            CaptureUploadInput(captureId: id)
        }
    }

    /// A stream of the captures that the server finishes, from all devices of the account. It shares the connection of `Keepsake.events`.
    /// - Parameter since: as in `Events.follow`.
    public func processed(since: Int64? = nil) -> ProcessedCaptures { ProcessedCaptures(base: events.follow(since: since)) }

    // MARK: Reading

    /// The account's captures, newest first.
    /// - Parameters:
    ///   - day: only captures of this day, in the time zone that the account had when the server received them.
    ///   - contact: the id of a known contact; only captures that mention this person.
    ///   - limit: the most items on a page, 1…100; 20 by default.
    public func list(day: CalendarDay? = nil, contact: String? = nil, limit: Int? = nil) -> Pages<Capture> {
        Pages { [client] cursor in
            let page = try await client.send(CaptureEndpoints.list) { _ in
                ListCapturesInput(cursor: cursor, limit: limit, date: day?.text, contact: contact)
            }
            return Pages.Page(items: page.items, nextCursor: page.nextCursor)
        }
    }

    public func get(_ id: String) async throws -> Capture { try await client.send(CaptureEndpoints.read) { _ in ItemPath(id: id) } }

    /// Replaces a capture's transcription. The server then analyses the capture again.
    /// - Parameter transcription: at most 100,000 characters; `nil` removes it.
    public func correct(_ id: String, transcription: String?) async throws -> Capture {
        try await client.send(CaptureEndpoints.correct) { _ in
            CorrectCaptureInput(id: id, transcription: transcription.map { .set($0) } ?? .clear)
        }
    }

    public func delete(_ id: String) async throws { _ = try await client.send(CaptureEndpoints.delete) { _ in ItemPath(id: id) } }

    /// Deletes the captures of a time range.
    /// - Parameters:
    ///   - from: a `Date`, or a `CalendarDay` in the account's time zone.
    ///   - to: a `Date`, which is excluded, or a `CalendarDay`, which is included.
    /// - Returns: the number of captures that were deleted.
    public func delete(from: any TimeBound, to: any TimeBound) async throws -> Int {
        let (from, to) = (from.rangeText, to.rangeText)
        return try await client.send(CaptureEndpoints.deleteSpan) { _ in CaptureSpanInput(from: from, to: to) }.deleted
    }

    /// Downloads a capture's photo or recording. The file appears at `destination` when it is complete.
    /// - Parameter name: `photo` or `audio`.
    public func download(_ id: String, _ name: String, to destination: URL, progress: ProgressHandler? = nil) async throws {
        try await client.download(CaptureEndpoints.file, to: destination, .init(progress: ProgressReport(progress))) {
            CaptureFileInput(userId: $0, captureId: id, name: name)
        }
    }

    // MARK: Summaries

    /// - Parameter day: as in `list`.
    /// - Returns: `nil` when the day has no captures.
    public func day(_ day: CalendarDay) async throws -> MemoryDay? {
        do {
            return try await client.send(CaptureSummaryEndpoints.memory) { MemoryInput(userId: $0, date: day.text) }.data
        } catch let error as KeepsakeError where error.status == 404 {
            return nil
        }
    }

    /// The summaries of a day's hours, in chronological order.
    public func hours(_ day: CalendarDay) async throws -> [HourlySummary] {
        let pages = Pages<HourlySummary> { [client] cursor in
            let page = try await client.send(CaptureSummaryEndpoints.hourly) { _ in HourlySummariesInput(date: day.text, cursor: cursor) }
            return Pages.Page(items: page.items, nextCursor: page.nextCursor)
        }
        var hours: [HourlySummary] = []
        for try await hour in pages { hours.append(hour) }
        return hours
    }

    /// The summaries of days, the latest day first.
    /// - Parameters:
    ///   - from: the first day.
    ///   - to: the last day.
    ///   - limit: the most items on a page, 1…100; 20 by default.
    public func days(from: CalendarDay? = nil, to: CalendarDay? = nil, limit: Int? = nil) -> Pages<DailySummary> {
        Pages { [client] cursor in
            let page = try await client.send(CaptureSummaryEndpoints.daily) { _ in
                DailySummariesInput(from: from?.text, to: to?.text, cursor: cursor, limit: limit)
            }
            return Pages.Page(items: page.items, nextCursor: page.nextCursor)
        }
    }

    // MARK: Known contacts

    /// The people whom captures mention.
    /// - Parameter limit: the most items on a page, 1…100; 20 by default.
    public func contacts(limit: Int? = nil) -> Pages<KnownContact> {
        Pages { [client] cursor in
            let page = try await client.send(KnownContactEndpoints.list) { _ in ListKnownContactsInput(cursor: cursor, limit: limit) }
            return Pages.Page(items: page.items, nextCursor: page.nextCursor)
        }
    }

    /// Edits a known contact. Fields that stay `.unchanged` keep their value.
    public func editContact(_ input: EditKnownContactInput) async throws -> KnownContact {
        try await client.send(KnownContactEndpoints.edit) { _ in input }
    }

    /// Deletes a known contact. Later captures that mention the name do not create the contact again.
    public func deleteContact(_ id: String) async throws {
        _ = try await client.send(KnownContactEndpoints.delete) { _ in ItemPath(id: id) }
    }

    /// Merges one known contact into another.
    /// - Returns: the contact that remains.
    public func mergeContact(_ id: String, into other: String) async throws -> KnownContact {
        try await client.send(KnownContactEndpoints.merge) { _ in MergeKnownContactInput(id: id, into: other) }
    }

    /// Creates another contact, and changes the given captures so that they refer to it.
    /// - Parameters:
    ///   - captureIds: 1…1,000.
    ///   - name: the name of the new contact.
    /// - Returns: the new contact.
    public func splitContact(_ id: String, captureIds: [String], name: String, key: String? = nil) async throws -> KnownContact {
        try await client.send(KnownContactEndpoints.split, .init(key: key)) { _ in
            SplitKnownContactInput(id: id, captureIds: captureIds, name: name)
        }
    }
}
