import MediaFrames

/// Thrown to end the job. The worker continues with the next one.
struct MediaRefused: Error {
    let reason: MediaRefusal

    init(_ reason: MediaRefusal) { self.reason = reason }
}
