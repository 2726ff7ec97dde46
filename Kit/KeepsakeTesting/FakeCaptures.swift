import Foundation
import KeepsakeWire

extension FakeRoutes {
    mutating func addCaptures() {
        serve(CaptureEndpoints.upload) { input, call, state in
            guard !state.deletedCaptures.contains("\(call.caller)/\(input.captureId)") else {
                throw FakeProblem(410, "The capture with this id has been deleted.")
            }
            guard let file = call.form.files.first(where: { $0.name == "file" }) else {
                throw FakeProblem.invalid("Send the file as file.", "file")
            }
            let type = FakeFileType.of(file.data) ?? ""
            guard type.hasPrefix("image/") || type.hasPrefix("audio/") else { throw FakeProblem(422, "Send a photo or a recording.") }
            let name = type.hasPrefix("image/") ? "photo" : "audio"
            state.captureFiles["\(call.caller)/\(input.captureId)/\(name)"] = (file.data, type)
            state.created.append(input.captureId)
            state.attach(name, to: input.captureId, call)
            return CaptureUploadResponse(url: FakeState.link(call.caller, input.captureId, name), captureId: input.captureId)
        }
        serve(file: CaptureEndpoints.file) { input, call, state in
            let name = input.name.prefix { $0 != "." }
            guard let file = state.captureFiles["\(call.caller)/\(input.captureId)/\(name)"] else { throw FakeProblem.notFound("The file") }
            return (file.data, file.type)
        }
        serve(CaptureEndpoints.list) { input, call, state in
            let viewable = state
            let zone = state.zone(of: call.caller)
            let all = (state.captures[call.caller] ?? []).filter { capture in
                (input.date == nil || FakeTime.day(capture.timestamp, zone) == input.date)
                    && input.contact.map { viewable.mentions[$0]?.contains(capture.id) ?? false } ?? true
            }.sorted { ($0.timestamp, $0.id) > ($1.timestamp, $1.id) }
            let page = try all.page(after: input.cursor, limit: input.limit) { $0.id }
            return ItemPage(items: page.rows, nextCursor: page.next)
        }
        serve(CaptureEndpoints.read) { input, call, state in try state.capture(input.id, call.caller) }
        serve(CaptureEndpoints.correct) { input, call, state in
            var capture = try state.capture(input.id, call.caller)
            FakeText.apply(input.transcription, &capture.transcription)
            capture.transcriptionEngine = "user"
            state.analyze(&capture)
            state.put(capture, call.caller)
            state.emit("capture.changed", id: capture.id, to: call.caller, call.now)
            state.emitProcessed(capture, call.caller, call.now)
            return capture
        }
        serve(CaptureEndpoints.delete) { input, call, state in
            _ = try state.capture(input.id, call.caller)
            state.deleteCapture(input.id, call)
            return Empty()
        }
        serve(CaptureEndpoints.deleteSpan) { input, call, state in
            let zone = state.zone(of: call.caller)
            let (from, to) = (try FakeTime.start(input.from, zone), try FakeTime.end(input.to, zone))
            guard from != nil || to != nil else { throw FakeProblem.invalid("Send from, to or both.", "from") }
            let ids = (state.captures[call.caller] ?? []).filter { capture in
                from.map { capture.timestamp >= $0 } ?? true && to.map { capture.timestamp < $0 } ?? true
            }.map(\.id)
            for id in ids { state.deleteCapture(id, call) }
            return DeletedCaptures(deleted: ids.count)
        }
        addSummaries()
        addKnownContacts()
    }

    private mutating func addSummaries() {
        serve(CaptureSummaryEndpoints.memory) { input, call, state in
            let own = state.captures(of: call.caller, on: input.date)
            guard !own.isEmpty else { throw FakeProblem.notFound("A memory of this day") }
            return MemoryDayResponse(
                data: MemoryDay(
                    date: input.date, summary: nil, themes: [], people: [], highlights: [], captureIds: own.map(\.id),
                    totalCaptures: own.count, engine: nil))
        }
        serve(CaptureSummaryEndpoints.hourly) { input, call, state in
            let zone = state.zone(of: call.caller)
            let hours = Dictionary(grouping: state.captures(of: call.caller, on: input.date)) { FakeTime.hour($0.timestamp, zone) }
            let items = hours.sorted { $0.key < $1.key }.map { hour, captures in
                HourlySummary(
                    date: input.date, hour: hour,
                    start: Date(timeIntervalSince1970: (captures[0].timestamp.timeIntervalSince1970 / 3_600).rounded(.down) * 3_600),
                    summary: captures.compactMap(\.transcription).joined(separator: " "), themes: [], people: [], highlights: [],
                    captureIds: captures.map(\.id), engine: "local")
            }
            return ItemPage(items: items, nextCursor: nil)
        }
        serve(CaptureSummaryEndpoints.daily) { input, call, state in
            let zone = state.zone(of: call.caller)
            let days = Dictionary(grouping: state.captures[call.caller] ?? []) { FakeTime.day($0.timestamp, zone) }
            let all = days.filter { input.from ?? "" <= $0.key && $0.key <= input.to ?? "~" }.sorted { $0.key > $1.key }.map {
                day, captures in
                DailySummary(
                    date: day, summary: captures.compactMap(\.transcription).joined(separator: " "), themes: [], people: [],
                    highlights: [], totalCaptures: captures.count, engine: "local")
            }
            let page = try all.page(after: input.cursor, limit: input.limit) { $0.date }
            return ItemPage(items: page.rows, nextCursor: page.next)
        }
    }

    private mutating func addKnownContacts() {
        serve(KnownContactEndpoints.list) { input, call, state in
            let page = try (state.contacts[call.caller] ?? []).page(after: input.cursor, limit: input.limit) { $0.id }
            return ItemPage(items: page.rows, nextCursor: page.next)
        }
        serve(KnownContactEndpoints.edit) { input, call, state in
            var contact = try state.contact(input.id, call.caller)
            try FakeText.applyRequired(input.name, "name", max: 200, &contact.name)
            FakeText.apply(input.relationship, &contact.relationship)
            FakeText.apply(input.notes, &contact.notes)
            switch input.bestFacePhoto {
            case .unchanged: break
            case .clear: contact.bestFacePhotoURL = nil
            case .set(let id): contact.bestFacePhotoURL = try state.capture(id, call.caller).photoURL
            }
            state.put(contact, call)
            return contact
        }
        serve(KnownContactEndpoints.delete) { input, call, state in
            _ = try state.contact(input.id, call.caller)
            state.contacts[call.caller]?.removeAll { $0.id == input.id }
            state.mentions[input.id] = nil
            state.emit("contact.deleted", id: input.id, to: call.caller, call.now)
            return Empty()
        }
        serve(KnownContactEndpoints.merge) { input, call, state in
            let (gone, old) = (try state.contact(input.id, call.caller), try state.contact(input.into, call.caller))
            guard input.id != input.into else { throw FakeProblem.invalid("A contact cannot be merged into itself.", "into") }
            var contact = old
            state.mentions[contact.id, default: []].formUnion(state.mentions.removeValue(forKey: gone.id) ?? [])
            contact.mentionCount = state.mentions[contact.id]?.count ?? 0
            contact.firstSeen = min(contact.firstSeen, gone.firstSeen)
            contact.lastSeen = max(contact.lastSeen, gone.lastSeen)
            state.contacts[call.caller]?.removeAll { $0.id == gone.id }
            state.put(contact, call)
            state.emit("contact.deleted", id: gone.id, to: call.caller, call.now)
            return contact
        }
        serve(KnownContactEndpoints.split) { input, call, state in
            var contact = try state.contact(input.id, call.caller)
            let name = try FakeText.required(input.name, "name", max: 200)
            guard !input.captureIds.isEmpty, state.mentions[input.id]?.isSuperset(of: input.captureIds) ?? false else {
                throw FakeProblem.invalid("captureIds must name captures that mention the contact.", "captureIds")
            }
            state.mentions[input.id]?.subtract(input.captureIds)
            contact.mentionCount = state.mentions[input.id]?.count ?? 0
            state.put(contact, call)
            let new = state.addContact(name, input.captureIds, call.caller, call.now)
            state.created.append(new.id)
            return new
        }
    }
}

extension FakeState {
    static func link(_ owner: String, _ capture: String, _ name: String) -> String {
        "https://keepsake.invalid/raw-media/\(owner)/memories/\(capture)/\(name)?signature=none"
    }

    func capture(_ id: String, _ owner: String) throws -> Capture {
        guard let capture = captures[owner]?.first(where: { $0.id == id }) else { throw FakeProblem.notFound("The capture") }
        return capture
    }

    /// The captures of a day, in chronological order.
    func captures(of owner: String, on day: String) -> [Capture] {
        let zone = zone(of: owner)
        return (captures[owner] ?? []).filter { FakeTime.day($0.timestamp, zone) == day }.sorted { $0.timestamp < $1.timestamp }
    }

    mutating func put(_ capture: Capture, _ owner: String) {
        if let index = captures[owner]?.firstIndex(where: { $0.id == capture.id }) {
            captures[owner]?[index] = capture
        } else {
            captures[owner, default: []].append(capture)
        }
    }

    /// Adds an uploaded file to its capture, if the capture was sent before the file.
    /// - Parameter name: `photo` or `audio`.
    mutating func attach(_ name: String, to id: String, _ call: FakeCall) {
        guard var capture = captures[call.caller]?.first(where: { $0.id == id }) else { return }
        if name == "photo" {
            capture.photoURL = Self.link(call.caller, id, name)
        } else {
            capture.audioURL = Self.link(call.caller, id, name)
            // The server made the transcription from an earlier recording, so it is deleted.
            if capture.transcriptionEngine != "client", capture.transcriptionEngine != "user" { capture.transcription = nil }
        }
        analyze(&capture)
        put(capture, call.caller)
        emitProcessed(capture, call.caller, call.now)
    }

    mutating func deleteCapture(_ id: String, _ call: FakeCall) {
        captures[call.caller]?.removeAll { $0.id == id }
        deletedCaptures.insert("\(call.caller)/\(id)")
        sentTexts["\(call.caller)/\(id)"] = nil
        for name in ["photo", "audio"] { captureFiles["\(call.caller)/\(id)/\(name)"] = nil }
        for contact in mentions.keys { mentions[contact]?.remove(id) }
        forget(id)
        emit("capture.deleted", id: id, to: call.caller, call.now)
    }

    /// Analyses the capture at once. The real server takes a while.
    func analyze(_ capture: inout Capture) {
        if capture.transcription == nil, capture.audioURL != nil, capture.transcriptionEngine != "user" {
            capture.transcription = transcript
            capture.transcriptionEngine = transcript == nil ? nil : "fake"
        }
        capture.status = .processed
        capture.processed = true
        capture.analysis = CaptureAnalysisData(
            imageSummary: nil, themes: [], mood: nil, location: nil, detectedFaces: [], mentionedNames: [],
            keyMoment: capture.transcription, imageText: nil, error: nil, engine: "local")
    }

    mutating func emitProcessed(_ capture: Capture, _ owner: String, _ now: Date) {
        let date = FakeTime.day(capture.timestamp, zone(of: owner))
        emit("capture.processed", .object(["id": .string(capture.id), "date": .string(date)]), to: owner, now)
    }

    // MARK: The socket

    private struct Message: Decodable {
        var type: String?
        var id: String?
        var timestamp: String?
        var photoURL: String?
        var audioURL: String?
        var transcription: String?
    }

    /// Stores a capture that a client sent over the socket.
    /// - Returns: the server's reply: an acknowledgement or a refusal.
    mutating func takeCapture(_ text: String, _ owner: String, _ now: Date) -> String {
        func refusal(_ code: String, _ detail: String, _ id: String? = nil) -> String {
            var values: [String: JSONValue] = ["ok": .bool(false), "error": .string(code), "detail": .string(detail)]
            if let id { values["captureId"] = .string(id) }
            return Self.json(.object(values))
        }
        guard let message = try? JSONDecoder().decode(Message.self, from: Data(text.utf8)) else {
            return refusal("invalid_json", "The message is not a JSON object.")
        }
        guard message.type == "memory_capture" else { return refusal("invalid_type", "type must be \"memory_capture\".", message.id) }
        guard let at = message.timestamp.flatMap(WireDate.parse) else {
            return refusal("invalid_timestamp", "timestamp must be ISO 8601.", message.id)
        }
        guard message.transcription?.count ?? 0 <= 100_000 else {
            return refusal("invalid_field", "transcription may have at most 100,000 characters.", message.id)
        }
        let id = message.id ?? newID()
        let name = "\(owner)/\(id)"
        guard !deletedCaptures.contains(name) else {
            return refusal("id_in_use", "A capture with this id was deleted. Use a new id.", id)
        }
        let ack = Self.json(
            .object([
                "type": .string("ack"), "status": .string("received"), "captureId": .string(id),
                "timestamp": .string(WireDate.format(at, .milliseconds)),
            ]))
        let known = captures[owner]?.first { $0.id == id }
        var capture =
            known
            ?? Capture(
                id: id, timestamp: at, photoURL: nil, audioURL: nil, transcription: nil, transcriptionEngine: nil, status: .received,
                analysis: nil, error: nil, createdAt: now)
        // A repeated message may fill in what was missing. The server refuses different content.
        let isSame = [
            (capture.photoURL, message.photoURL), (capture.audioURL, message.audioURL), (sentTexts[name], message.transcription),
        ].allSatisfy { old, new in old == nil || new == nil || old == new }
        guard capture.timestamp == at, isSame else { return refusal("id_in_use", "Another capture has this id.", id) }
        let before = capture
        capture.photoURL = capture.photoURL ?? message.photoURL ?? uploaded(owner, id, "photo")
        capture.audioURL = capture.audioURL ?? message.audioURL ?? uploaded(owner, id, "audio")
        if sentTexts[name] == nil, let text = message.transcription {
            sentTexts[name] = text
            // A correction by the user is kept.
            if capture.transcriptionEngine != "user" { (capture.transcription, capture.transcriptionEngine) = (text, "client") }
        }
        guard known == nil || capture != before else { return ack }
        if known == nil { emit("capture.received", id: id, to: owner, now) }
        analyze(&capture)
        put(capture, owner)
        emitProcessed(capture, owner, now)
        return ack
    }

    private func uploaded(_ owner: String, _ id: String, _ name: String) -> String? {
        captureFiles["\(owner)/\(id)/\(name)"] == nil ? nil : Self.link(owner, id, name)
    }

    private static func json(_ value: JSONValue) -> String {
        // Values of this type can always be encoded.
        (try? Surface.captures.makeEncoder().encode(value)).map { String(decoding: $0, as: UTF8.self) } ?? "{}"
    }

    // MARK: Known contacts

    func contact(_ id: String, _ owner: String) throws -> KnownContact {
        guard let contact = contacts[owner]?.first(where: { $0.id == id }) else { throw FakeProblem.notFound("The contact") }
        return contact
    }

    mutating func put(_ contact: KnownContact, _ call: FakeCall) {
        guard let index = contacts[call.caller]?.firstIndex(where: { $0.id == contact.id }) else { return }
        contacts[call.caller]?[index] = contact
        emit("contact.changed", id: contact.id, to: call.caller, call.now)
    }

    mutating func addContact(_ name: String, _ captureIDs: [String], _ owner: String, _ now: Date) -> KnownContact {
        let contact = KnownContact(
            id: newID(), name: name, relationship: nil, notes: nil, bestFacePhotoURL: nil, firstSeen: now, lastSeen: now,
            mentionCount: captureIDs.count)
        contacts[owner, default: []].append(contact)
        mentions[contact.id] = Set(captureIDs)
        emit("contact.changed", id: contact.id, to: owner, now)
        return contact
    }
}
