/// Why a file is not decoded. A fixed set of reasons, so that no text from a file reaches a log or a response.
package enum MediaRefusal: String, Sendable, CaseIterable {
    /// Not a supported picture or document, or a damaged one.
    case unreadable
    case empty
    /// More than `PictureLimits.byteCount`.
    case tooManyBytes
    case tooManyPixels
    case sideTooLong
    case tooManyFrames
    /// A JPEG with arithmetic coding: decoding takes seconds for a file of 70 KB, and no camera writes it.
    case arithmeticCoding
    /// A JPEG with more than `PictureLimits.scans`, or `PictureLimits.scannedPixels` in all of its scans.
    case tooManyScans
    /// A PNG with more compressed chunks or with larger ones, a JPEG with more segments, a HEIF with more items, or a picture with more
    /// directories of EXIF than `PictureLimits` allow; a WAV with more than `AudioLimits.chunks`. Reading the header would take seconds.
    case tooManyParts
    /// Only for a job that must be quick: the file exceeds `PictureLimits.quickScannedPixels`, `.quickCMYKPixels`, `.quickTiles` or
    /// `DocumentLimits.quickUnpackedByteCount`. The file is then read as long work.
    case notQuick
    /// More than `AudioLimits.samples`.
    case tooMuchSound
    /// Sound of a codec whose frames have no known length, or that may decode to more than `AudioLimits.samples`.
    case unknownSound
    /// Decoding it takes more memory than a worker has.
    case outOfMemory
    /// An archive with more than `DocumentLimits.entries`.
    case tooManyEntries
    /// An archive that unpacks to more than `DocumentLimits` allow, or to more than it says.
    case unpacksTooLarge
    /// An archive with an entry outside its own folder, or with two entries of one name.
    case unsafePath
    /// An archive within an archive, other than a document embedded in a document.
    case nestedArchive
}
