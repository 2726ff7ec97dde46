internal import Jobs

/// The plainest job: all defaults.
struct Note: Job {
    static let kind = "suite/note"
    let number: Int
}

/// Of another kind than `Note`, sorted before it.
struct Errand: Job {
    static let kind = "suite/errand"
    let number: Int
}

/// Tried three times, each for half a second.
struct Trial: Job {
    static let kind = "suite/trial"
    static let policy = JobPolicy(attempts: 3, timeout: .milliseconds(500))
    let number: Int
}

/// Stored as a `Note` is, and not readable as one.
struct Scrawl: Job {
    static let kind = Note.kind
    let number: String
}
