/// Determines a file's type from its content. Never sees a file name or a declared type.
///
/// It parses hostile bytes in the server's own process, so its work is bounded: it decodes and decompresses nothing, no number in the file
/// determines the size of an allocation, it only moves forward through the excerpt (at most `windowByteCount` + `tailByteCount` bytes), and
/// every read is checked (`Excerpt`). It cannot tell whether a picture *decodes*: it detects a truncated file only where the structure
/// shows it. `keepsake-media` decodes the whole file later.
///
/// A correct type does not make a file harmless: a format that allows a trailer (JPEG, MP4) can carry an archive after a valid picture. Two
/// measures address this: files are served with this type and `nosniff`, and variants are encoded again.
package struct Sniffer: Sendable {
    /// Number of leading bytes that determine the type. One page holds everything that identifies a file: the longest `ftyp` observed is
    /// under 100 bytes, a GIF's header with its color table is 781, a WAV's `fmt ` after a broadcast chunk is at about 700, two MPEG audio
    /// frames are 2,882. Cover art, EXIF and HEIF's item tables may be longer; they are checked as far as the window reaches.
    package static let windowByteCount = 4096

    /// Number of trailing bytes that are examined. A trailer needs 12; distinguishing a JPEG scan or MP3 frames from other bytes takes a
    /// longer sample (a scan escapes one byte in 256).
    package static let tailByteCount = 4096

    /// The type according to the first bytes, so that a wrong type is rejected while the body still arrives.
    ///
    /// - Parameters:
    ///   - head: the first `windowByteCount` bytes, or the whole file when it is shorter; further bytes are ignored.
    ///   - byteCount: the file's length, if known. If `nil`, structure beyond `head` is assumed to be valid; otherwise it must fit the
    ///     length.
    package static func sniff(head: some RandomAccessCollection<UInt8>, byteCount: Int? = nil) -> MediaType? {
        Excerpt(head: head, tail: EmptyCollection(), byteCount: byteCount).flatMap(recognise)
    }

    /// The type of the complete file. Unlike `sniff`, it also requires that sizes and trailers are consistent.
    ///
    /// - Parameters:
    ///   - head: the first `windowByteCount` bytes, or the whole file.
    ///   - tail: the last `tailByteCount` bytes, or the whole file; may overlap `head`.
    ///   - byteCount: the file's length.
    package static func verify(
        head: some RandomAccessCollection<UInt8>, tail: some RandomAccessCollection<UInt8>, byteCount: Int
    ) -> MediaType? {
        Excerpt(head: head, tail: tail, byteCount: byteCount).flatMap(recognise)
    }

    /// All formats. Their first bytes are mutually exclusive, so at most one claims a file.
    static let formats: [any FileFormat.Type] = [
        JPEGFormat.self, PNGFormat.self, GIFFormat.self, WebPFormat.self, WAVFormat.self, ISOMediaFormat.self, MPEGAudioFormat.self,
    ]

    private static func recognise(_ seen: Excerpt) -> MediaType? {
        for format in formats {
            guard let type = try? format.claim(seen) else { continue }
            do throws(ReadFailure) {
                try format.check(seen, as: type)
                return type
            } catch {
                // Structure that continues beyond the excerpt is accepted; structure that exceeds the file or breaks the format is not.
                return error == .unseen ? type : nil
            }
        }
        return nil
    }

    // MARK: - As bytes arrive

    package enum Outcome: Sendable, Equatable {
        /// Fewer than `windowByteCount` bytes have arrived.
        case undecided
        case looksLike(MediaType)
        case refused
    }

    /// `.undecided` until the window is full; after that, it does not change again.
    package private(set) var outcome = Outcome.undecided
    package private(set) var byteCount = 0
    private var head: [UInt8] = []
    private var tail: [UInt8] = []

    package init() {}

    /// Consumes the file's next bytes, in chunks of any size; keeps at most `windowByteCount` + 3 × `tailByteCount` of them.
    @discardableResult
    package mutating func receive(_ bytes: some RandomAccessCollection<UInt8>) -> Outcome {
        if head.count < Self.windowByteCount { head.append(contentsOf: bytes.prefix(Self.windowByteCount - head.count)) }
        tail.append(contentsOf: bytes.suffix(Self.tailByteCount))
        // The tail is trimmed only at twice its length, so that a body that arrives byte by byte does not move the tail for each byte.
        if tail.count > 2 * Self.tailByteCount { tail.removeFirst(tail.count - Self.tailByteCount) }
        byteCount += bytes.count
        if outcome == .undecided, head.count == Self.windowByteCount {
            outcome = Self.sniff(head: head).map(Outcome.looksLike) ?? .refused
        }
        return outcome
    }

    /// The type of the complete file; `nil` when it is not accepted.
    package func finish() -> MediaType? {
        outcome == .refused ? nil : Self.verify(head: head, tail: tail, byteCount: byteCount)
    }
}

/// A format's signature and structure check.
protocol FileFormat: Sendable {
    /// The type that the first bytes claim. `nil` and any error mean "not this format": everything this reads must be in the excerpt.
    static func claim(_ seen: Excerpt) throws(ReadFailure) -> MediaType?

    /// Checks the structure as far as the excerpt reaches.
    /// - Throws: `.unseen` when the structure continues beyond the excerpt, `.missing` when the file ends too early, `.wrong` when the file
    ///   is not of `type`.
    static func check(_ seen: Excerpt, as type: MediaType) throws(ReadFailure)
}
