package import MediaFrames

/// What became of one file. It says nothing of the worker, which is replaced, nor of other files.
package enum MediaFailure: Error, Sendable, Equatable {
    /// It is not decodable, or larger than we take: so it will be the next time.
    case refused(MediaRefusal)
    /// Its decoder died of it, or lost its mind: most likely it will again.
    case crashed
    /// Its decoder was not done in time.
    case timedOut
}
