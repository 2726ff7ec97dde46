import MediaFrames

/// Ends a job, not the worker.
struct MediaRefused: Error {
    let reason: MediaRefusal

    init(_ reason: MediaRefusal) { self.reason = reason }
}
