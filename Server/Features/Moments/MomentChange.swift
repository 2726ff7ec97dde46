import Core
import KeepsakeWire
import Media

/// A validated update. Absent fields are unchanged; `null` clears an optional field.
struct MomentChange: Sendable {
    private var steps: [@Sendable (inout Moment) -> Void] = []

    /// - Throws: `.invalid` naming the field.
    init(_ input: UpdateMoodInput) throws {
        try set(\.mood, input.mood.required("mood", MomentRules.mood))
        try set(\.note, input.note.checked { try TextRules.optionalLine($0, field: "note", max: MomentRules.noteLength) })
        try set(\.reason, input.reason.checked(MomentRules.reason))
        try set(\.interests, input.interests.checked { try MediaRules.tags($0, field: "interests") }, else: [])
        try set(\.intensity, input.moodIntensity.checked(MomentRules.intensity))
        try setLabels(input.tags, input.category, input.groupId)
        try setTime(input.createdAt, movesIt: true)
    }

    /// - Throws: `.invalid` naming the field.
    init(_ input: UpdateMemoryInput) throws {
        try setTexts(input.title, input.description, input.location)
        try setLabels(input.tags, input.category, input.groupId)
        try setTime(input.createdAt, movesIt: true)
    }

    /// - Throws: `.invalid` naming the field.
    init(_ input: UpdateEventInput) throws {
        try setTexts(input.title, input.description, input.location)
        try setLabels(input.tags, input.category, input.groupId)
        try setTime(input.createdAt, movesIt: false)
        if case .set(let date)? = try input.date.required("date", { try MomentRules.date($0) }) { steps.append { $0.happenedAt = date } }
    }

    func apply(to moment: inout Moment) {
        for step in steps { step(&moment) }
    }

    private mutating func setTexts(_ title: Change<String>, _ description: Change<String>, _ location: Change<String>) throws {
        try set(\.title, title.required("title", MomentRules.title))
        try set(\.note, description.checked { try TextRules.optionalLine($0, field: "description", max: MomentRules.noteLength) })
        try set(\.location, location.checked(MomentRules.location))
    }

    private mutating func setLabels(_ tags: Change<[String]>, _ category: Change<String>, _ groupID: Change<String>) throws {
        try set(\.tags, tags.checked { try MediaRules.tags($0) }, else: [])
        try set(\.category, category.checked(MediaRules.category), else: MediaRules.category(nil))
        try set(\.groupID, groupID.checked(MediaRules.groupID))
    }

    /// - Parameter movesIt: whether the new creation time also changes the moment's position on the timeline.
    private mutating func setTime(_ createdAt: Change<Double>, movesIt: Bool) throws {
        guard case .set(let time)? = try createdAt.required("createdAt", { try MediaRules.unixTime($0, field: "createdAt") }) else {
            return
        }
        steps.append { moment in
            moment.createdAt = time
            if movesIt { moment.happenedAt = time }
        }
    }

    private mutating func set<Value: Sendable>(_ field: any WritableKeyPath<Moment, Value?> & Sendable, _ change: Checked<Value>?) {
        switch change {
        case nil: break
        case .clear: steps.append { $0[keyPath: field] = nil }
        case .set(let value): steps.append { $0[keyPath: field] = value }
        }
    }

    private mutating func set<Value: Sendable>(
        _ field: any WritableKeyPath<Moment, Value> & Sendable, _ change: Checked<Value>?, else none: Value
    ) {
        switch change {
        case nil: break
        case .clear: steps.append { $0[keyPath: field] = none }
        case .set(let value): steps.append { $0[keyPath: field] = value }
        }
    }
}

private enum Checked<Value: Sendable>: Sendable {
    case clear
    case set(Value)
}

extension Change {
    /// - Returns: `nil` when the field is unchanged.
    fileprivate func checked<Good: Sendable>(_ rule: (Value) throws -> Good?) throws -> Checked<Good>? {
        switch self {
        case .unchanged: nil
        case .clear: .clear
        case .set(let value): try rule(value).map(Checked.set) ?? .clear
        }
    }

    /// For a required field: `null` is invalid.
    fileprivate func required<Good: Sendable>(_ field: String, _ rule: (Value) throws -> Good) throws -> Checked<Good>? {
        if case .clear = self { throw Problem(.invalid, "\(field) must not be null.", field: field) }
        return try checked { try rule($0) }
    }
}
