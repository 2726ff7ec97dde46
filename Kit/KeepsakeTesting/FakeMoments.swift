import Foundation
import KeepsakeWire

/// The properties that moods, memories and events share.
protocol FakeMoment {
    var id: String { get }
    var tags: [String] { get set }
    var createdAt: Int { get set }
    var category: String { get set }
    var groupId: String? { get set }
}

extension MoodData: FakeMoment {}
extension MemoryData: FakeMoment {}
extension EventData: FakeMoment {}

extension FakeRoutes {
    mutating func addMoments() {
        addMoods()
        addMemories()
        addEventMoments()
    }

    private mutating func addMoods() {
        serve(MomentEndpoints.createMood) { _, call, state in
            let form = call.form
            var intensity: Int?
            if let text = form["moodIntensity"] {
                guard let number = Int(text), 1...10 ~= number else {
                    throw FakeProblem.invalid("moodIntensity must be 1 to 10.", "moodIntensity")
                }
                intensity = number
            }
            let name = try FakeText.required(form["mood"], "mood", max: 64)
            let id = state.create()
            let files = try state.attach(call)
            let mood = MoodData(
                id: id, mood: name, note: form["note"], voiceNote: files.voiceNote, voiceNoteDuration: nil, reason: form["reason"],
                tags: form.list("tags"), interests: form.list("interests"), moodIntensity: intensity,
                createdAt: try call.createdAt(), imageUrls: files.images, category: form["category"] ?? FakeState.category,
                groupId: files.group, files: files.files)
            state.moods[call.caller, default: []].append(mood)
            state.emit("mood.added", id: id, to: call.caller, call.now)
            return MoodResponse(mood: mood)
        }
        serve(MomentEndpoints.listMoods) { input, call, state in
            let page = try state.list(\.moods, input, call)
            return MoodListResponse(moods: page.rows, pagination: Pagination(nextCursor: page.next))
        }
        serve(MomentEndpoints.readMood) { input, call, state in MoodResponse(mood: try state.find(\.moods, input.id, call.caller)) }
        serve(MomentEndpoints.updateMood) { input, call, state in
            let old = try state.find(\.moods, input.id, call.caller)
            var mood = old
            try FakeText.applyRequired(input.mood, "mood", max: 64, &mood.mood)
            FakeText.apply(input.note, &mood.note)
            FakeText.apply(input.reason, &mood.reason)
            FakeText.apply(input.moodIntensity, &mood.moodIntensity)
            if let number = mood.moodIntensity, !(1...10 ~= number) {
                throw FakeProblem.invalid("moodIntensity must be 1 to 10.", "moodIntensity")
            }
            if case .set(let interests) = input.interests { mood.interests = interests }
            try mood.apply(input.tags, input.createdAt, input.category, input.groupId)
            state.replace(\.moods, mood, call.caller)
            if mood != old { state.emit("mood.changed", id: input.id, to: call.caller, call.now) }
            return MoodResponse(mood: mood)
        }
        serve(MomentEndpoints.deleteMood) { input, call, state in
            try state.remove(\.moods, "mood.deleted", input.id, call)
            return SuccessResponse()
        }
        serve(MomentEndpoints.moodStatistics) { input, call, state in try state.statistics(input, call) }
    }

    private mutating func addMemories() {
        serve(MomentEndpoints.createMemory) { _, call, state in
            let form = call.form
            let title = try FakeText.required(form["title"], "title", max: 200)
            let id = state.create()
            let files = try state.attach(call)
            let memory = MemoryData(
                id: id, title: title, description: form["description"], location: form["location"], tags: form.list("tags"),
                createdAt: try call.createdAt(), imageUrls: files.images, voiceNote: files.voiceNote, voiceNoteDuration: nil,
                category: form["category"] ?? FakeState.category, groupId: files.group, files: files.files)
            state.memories[call.caller, default: []].append(memory)
            state.emit("memory.added", id: id, to: call.caller, call.now)
            return MemoryResponse(memory: memory)
        }
        serve(MomentEndpoints.listMemories) { input, call, state in
            let page = try state.list(\.memories, input, call)
            return MemoryListResponse(memories: page.rows, pagination: Pagination(nextCursor: page.next))
        }
        serve(MomentEndpoints.readMemory) { input, call, state in
            MemoryResponse(memory: try state.find(\.memories, input.id, call.caller))
        }
        serve(MomentEndpoints.updateMemory) { input, call, state in
            let old = try state.find(\.memories, input.id, call.caller)
            var memory = old
            try FakeText.applyRequired(input.title, "title", max: 200, &memory.title)
            FakeText.apply(input.description, &memory.description)
            FakeText.apply(input.location, &memory.location)
            try memory.apply(input.tags, input.createdAt, input.category, input.groupId)
            state.replace(\.memories, memory, call.caller)
            if memory != old { state.emit("memory.changed", id: input.id, to: call.caller, call.now) }
            return MemoryResponse(memory: memory)
        }
        serve(MomentEndpoints.deleteMemory) { input, call, state in
            try state.remove(\.memories, "memory.deleted", input.id, call)
            return SuccessResponse()
        }
    }

    private mutating func addEventMoments() {
        serve(MomentEndpoints.createEvent) { _, call, state in
            let form = call.form
            let title = try FakeText.required(form["title"], "title", max: 200)
            let date = try FakeState.date(form["date"])
            let id = state.create()
            let files = try state.attach(call)
            let event = EventData(
                id: id, title: title, description: form["description"], date: date, location: form["location"],
                tags: form.list("tags"), createdAt: try call.createdAt(), imageUrls: files.images, voiceNote: files.voiceNote,
                voiceNoteDuration: nil, category: form["category"] ?? FakeState.category, groupId: files.group, files: files.files)
            state.events[call.caller, default: []].append(event)
            state.emit("event.added", id: id, to: call.caller, call.now)
            return EventResponse(event: event)
        }
        serve(MomentEndpoints.listEvents) { input, call, state in
            let page = try state.list(\.events, input, call)
            return EventListResponse(events: page.rows, pagination: Pagination(nextCursor: page.next))
        }
        serve(MomentEndpoints.readEvent) { input, call, state in EventResponse(event: try state.find(\.events, input.id, call.caller)) }
        serve(MomentEndpoints.updateEvent) { input, call, state in
            let old = try state.find(\.events, input.id, call.caller)
            var event = old
            try FakeText.applyRequired(input.title, "title", max: 200, &event.title)
            if case .set(let text) = input.date { event.date = try FakeState.date(text) }
            FakeText.apply(input.description, &event.description)
            FakeText.apply(input.location, &event.location)
            try event.apply(input.tags, input.createdAt, input.category, input.groupId)
            state.replace(\.events, event, call.caller)
            if event != old { state.emit("event.changed", id: input.id, to: call.caller, call.now) }
            return EventResponse(event: event)
        }
        serve(MomentEndpoints.deleteEvent) { input, call, state in
            try state.remove(\.events, "event.deleted", input.id, call)
            return SuccessResponse()
        }
    }
}

extension FakeMoment {
    mutating func apply(
        _ tags: Change<[String]>, _ createdAt: Change<Double>, _ category: Change<String>, _ groupId: Change<String>
    ) throws {
        switch tags {
        case .unchanged: break
        case .clear: self.tags = []
        case .set(let new): self.tags = new
        }
        if case .set(let number) = createdAt { self.createdAt = try FakeState.milliseconds(number, "createdAt") }
        if case .set(let name) = category { self.category = name }
        FakeText.apply(groupId, &self.groupId)
    }
}

extension FakeCall {
    /// The moment's time in milliseconds since 1970.
    func createdAt() throws -> Int {
        guard let text = form["createdAt"] else { return milliseconds }
        return try FakeState.milliseconds(text, "createdAt")
    }
}

extension FakeState {
    typealias Moments<Moment> = WritableKeyPath<FakeState, [String: [Moment]]>

    /// Converts a time in seconds or milliseconds since 1970, in the years 1…9999, to milliseconds.
    static func milliseconds(_ number: Double, _ field: String) throws(FakeProblem) -> Int {
        let milliseconds = abs(number) < 1e11 ? (number * 1_000).rounded() : number.rounded(.down)
        guard -62_135_596_800_000..<253_402_300_800_000 ~= milliseconds else {
            throw FakeProblem.invalid("\(field) must be a Unix time in seconds or milliseconds, in the years 1…9999.", field)
        }
        return Int(milliseconds)
    }

    static func milliseconds(_ text: String, _ field: String) throws(FakeProblem) -> Int {
        try milliseconds(Double(text) ?? .nan, field)
    }

    static func date(_ text: String?) throws -> String {
        guard let date = text.flatMap(WireDate.parse) else { throw FakeProblem.invalid("date must be ISO 8601.", "date") }
        return WireDate.format(date, .milliseconds)
    }

    /// Stores a moment's files in the library.
    mutating func attach(_ call: FakeCall) throws -> (images: [String], voiceNote: String?, files: [EntryFile], group: String?) {
        let voiceNotes = call.form.files.filter { $0.name == "voiceNote" }.count
        let imageCount = call.form.files.count - voiceNotes
        try Self.checkCount(imageCount)
        guard voiceNotes <= 1 else { throw FakeProblem.invalid("Send at most one voice note.", "voiceNote") }
        let group = group(of: call, fileCount: imageCount)
        var images: [String] = []
        var voiceNote: String?
        var files: [EntryFile] = []
        for file in call.form.files {
            let stored = try store(file, call, in: group).data
            if file.name == "voiceNote" { voiceNote = stored.url } else { images.append(stored.url) }
            files.append(EntryFile(id: stored.fileId, type: stored.type))
        }
        return (images, voiceNote, files, group)
    }

    /// A page of moments, by default newest first.
    func list<Moment: FakeMoment>(
        _ path: Moments<Moment>, _ input: ListEntriesInput, _ call: FakeCall
    ) throws -> (rows: [Moment], next: String?) {
        let zone = zone(of: call.caller)
        let (from, to) = (try FakeTime.start(input.from, zone), try FakeTime.end(input.to, zone))
        let own = (self[keyPath: path][call.caller] ?? []).filter {
            let at = Date(timeIntervalSince1970: Double($0.createdAt) / 1_000)
            return (input.category == nil || $0.category == input.category) && (input.groupId == nil || $0.groupId == input.groupId)
                && (input.tag.map($0.tags.contains) ?? true) && from.map { at >= $0 } ?? true && to.map { at < $0 } ?? true
        }
        var all = own.sorted { ($0.createdAt, $0.id) > ($1.createdAt, $1.id) }
        if try FakeText.isAscending(input.order) { all.reverse() }
        return try all.page(after: input.cursor, limit: input.limit) { $0.id }
    }

    func find<Moment: FakeMoment>(_ path: Moments<Moment>, _ id: String, _ owner: String) throws -> Moment {
        guard let moment = self[keyPath: path][owner]?.first(where: { $0.id == id }) else { throw FakeProblem.notFound("The entry") }
        return moment
    }

    mutating func replace<Moment: FakeMoment>(_ path: Moments<Moment>, _ moment: Moment, _ owner: String) {
        guard let index = self[keyPath: path][owner]?.firstIndex(where: { $0.id == moment.id }) else { return }
        self[keyPath: path][owner]?[index] = moment
    }

    mutating func remove<Moment: FakeMoment>(_ path: Moments<Moment>, _ event: String, _ id: String, _ call: FakeCall) throws {
        _ = try find(path, id, call.caller)
        self[keyPath: path][call.caller]?.removeAll { $0.id == id }
        forget(id)
        emit(event, id: id, to: call.caller, call.now)
    }

    func statistics(_ input: MoodStatisticsInput, _ call: FakeCall) throws -> MoodStatisticsResponse {
        let zone = try FakeText.zone(input.timeZone ?? accounts[call.caller]?.user.timeZone ?? "UTC", "timeZone")
        let to = try FakeTime.end(input.to, zone) ?? call.now.addingTimeInterval(1)
        let from = try FakeTime.start(input.from, zone) ?? to.addingTimeInterval(-30 * 86_400)
        let all = (moods[call.caller] ?? []).filter {
            let at = Date(timeIntervalSince1970: Double($0.createdAt) / 1_000)
            return from <= at && at < to
        }
        let byDay = Dictionary(grouping: all) { FakeTime.day(Date(timeIntervalSince1970: Double($0.createdAt) / 1_000), zone) }
        let days = byDay.sorted { $0.key < $1.key }.map { day, moods in
            MoodStatisticsResponse.Day(
                date: day, count: moods.count, meanIntensity: Self.mean(moods), moods: Self.tallies(moods))
        }
        return MoodStatisticsResponse(
            count: all.count, meanIntensity: Self.mean(all), moods: Self.tallies(all), days: days, timeZone: zone)
    }

    private static func mean(_ moods: [MoodData]) -> Double? {
        let numbers = moods.compactMap(\.moodIntensity)
        return numbers.isEmpty ? nil : Double(numbers.reduce(0, +)) / Double(numbers.count)
    }

    private static func tallies(_ moods: [MoodData]) -> [MoodStatisticsResponse.Tally] {
        Dictionary(grouping: moods, by: \.mood).map {
            MoodStatisticsResponse.Tally(mood: $0.key, count: $0.value.count, meanIntensity: mean($0.value))
        }.sorted { ($1.count, $0.mood) < ($0.count, $1.mood) }
    }
}

/// Conversions between texts and days of a time zone.
enum FakeTime {
    /// The day of a date, for example `2026-12-31`.
    static func day(_ date: Date, _ zone: String) -> String {
        let offset = TimeZone(identifier: zone)?.secondsFromGMT(for: date) ?? 0
        return String(WireDate.format(date.addingTimeInterval(Double(offset)), .wholeSeconds).prefix(10))
    }

    static func hour(_ date: Date, _ zone: String) -> Int {
        let offset = TimeZone(identifier: zone)?.secondsFromGMT(for: date) ?? 0
        return Int(WireDate.format(date.addingTimeInterval(Double(offset)), .wholeSeconds).dropFirst(11).prefix(2)) ?? 0
    }

    /// The time that a text names; for a day, its beginning.
    static func start(_ text: String?, _ zone: String) throws -> Date? {
        guard let text else { return nil }
        if text.count == 10, let midnight = WireDate.parse(text + "T00:00:00Z") {
            let offset = TimeZone(identifier: zone)?.secondsFromGMT(for: midnight) ?? 0
            return midnight.addingTimeInterval(Double(-offset))
        }
        guard let date = WireDate.parse(text) else { throw FakeProblem.invalid("The date must be ISO 8601.", "from") }
        return date
    }

    /// The time that a text names; for a day, its end.
    static func end(_ text: String?, _ zone: String) throws -> Date? {
        guard let start = try start(text, zone) else { return nil }
        return text?.count == 10 ? start.addingTimeInterval(86_400) : start
    }
}
