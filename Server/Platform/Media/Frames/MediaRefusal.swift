/// Why a file is not decoded. A fixed set of reasons, so that no text from a file reaches a log or a response.
package enum MediaRefusal: String, Sendable, CaseIterable {
    /// Not a supported picture, or a damaged one.
    case unreadable
    case empty
    /// More than `PictureLimits.byteCount`.
    case tooManyBytes
    case tooManyPixels
    case sideTooLong
    case tooManyFrames
    /// More than `AudioLimits.samples`.
    case tooMuchSound
    /// Decoding it takes more memory than a worker has.
    case outOfMemory
}
