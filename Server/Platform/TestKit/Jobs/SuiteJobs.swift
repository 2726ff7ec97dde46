internal import Jobs

/// A job with default settings.
struct Note: Job {
    static let kind = "suite/note"
    let number: Int
}

/// A job of another kind, which sorts before `Note`.
struct Errand: Job {
    static let kind = "suite/errand"
    let number: Int
}

/// Three attempts of half a second each.
struct Trial: Job {
    static let kind = "suite/trial"
    static let policy = JobPolicy(attempts: 3, timeout: .milliseconds(500))
    let number: Int
}

/// Has the kind of `Note`, but a payload that `Note` cannot decode.
struct Scrawl: Job {
    static let kind = Note.kind
    let number: String
}
