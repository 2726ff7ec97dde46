/// Why a file is not decoded. Closed, so that nothing a file says reaches a log or an answer.
package enum MediaRefusal: String, Sendable, CaseIterable {
    /// No picture, or a broken one.
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
