internal import Jobs

/// A job with default settings.
struct Note: Job {
    static let kind = "suite/note"
    let number: Int
}

/// A job of another kind, which sorts before `Note`.
struct OtherNote: Job {
    static let kind = "suite/errand"
    let number: Int
}

/// Three attempts of half a second each.
struct RetriedJob: Job {
    static let kind = "suite/trial"
    static let policy = JobPolicy(attempts: 3, timeout: .milliseconds(500))
    let number: Int
}

/// Has the kind of `Note`, but a payload that `Note` cannot decode.
struct UndecodableNote: Job {
    static let kind = Note.kind
    let number: String
}
