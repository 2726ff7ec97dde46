package import MediaFrames

/// Why one file was not processed. It does not affect other files; a failed worker is replaced.
package enum MediaFailure: Error, Sendable, Equatable {
    /// The file cannot be decoded or exceeds a limit. A retry would fail in the same way.
    case refused(MediaRefusal)
    /// The decoder crashed or violated the protocol. A retry would probably fail in the same way.
    case crashed
    /// The decoder did not finish in time.
    case timedOut
    /// The output could not be written, for example because the disk is full. A retry may succeed.
    case outputLost
}
