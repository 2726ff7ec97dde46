/// Says what a file is by its content; never sees a name or a declared type.
///
/// Hostile bytes come through here in the server's own process, so the work is bounded: nothing is decoded or decompressed, no
/// number in the file sizes an allocation, walks only go forward through what is held (at most `windowByteCount` +
/// `tailByteCount` bytes) and every read is checked (`Excerpt`). What it cannot know is whether the picture *decodes*: a file cut
/// in its middle is found here only where its structure gives it away, and the full decode happens later, in `keepsake-media`.
///
/// A right answer does not make a file harmless either: formats that may carry a trailer (JPEG, MP4) can carry an archive behind
/// a true picture. That is met by serving with this type and `nosniff`, and by variants that are encoded afresh.
package struct Sniffer: Sendable {
    /// How many first bytes decide. One page holds all that identifies a file: the longest `ftyp` seen in the wild is under 100
    /// bytes, a GIF's header with its color table 781, a WAV's `fmt ` behind a broadcast chunk some 700, two MPEG audio frames
    /// 2,882. Cover art, EXIF and HEIF's item tables may run longer; they are followed as far as they are seen.
    package static let windowByteCount = 4096

    /// How many last bytes are looked at. A trailer needs 12; a JPEG's scan and an MP3's frames are told from other bytes only
    /// over some length (a scan escapes one byte in 256).
    package static let tailByteCount = 4096

    /// What the first bytes say, to refuse a wrong type while its body still arrives.
    ///
    /// - Parameters:
    ///   - head: the first `windowByteCount` bytes, or the whole file when it is shorter; what lies beyond is not looked at.
    ///   - byteCount: the file's length, if known. Without it, what runs past `head` is believed; with it, it must fit.
    package static func sniff(head: some RandomAccessCollection<UInt8>, byteCount: Int? = nil) -> MediaType? {
        Excerpt(head: head, tail: EmptyCollection(), byteCount: byteCount).flatMap(recognise)
    }

    /// What the whole file is, once it has ended: as `sniff`, and sizes must agree and endings be there.
    ///
    /// - Parameters:
    ///   - head: the first `windowByteCount` bytes, or all.
    ///   - tail: the last `tailByteCount` bytes, or all; may overlap `head`.
    ///   - byteCount: the file's length.
    package static func verify(
        head: some RandomAccessCollection<UInt8>, tail: some RandomAccessCollection<UInt8>, byteCount: Int
    ) -> MediaType? {
        Excerpt(head: head, tail: tail, byteCount: byteCount).flatMap(recognise)
    }

    /// The table of formats. Their first bytes exclude each other, so at most one makes a claim.
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
                // Structure that leaves what was seen is believed as far as it went; one that leaves the file, or the rules, is not.
                return error == .unseen ? type : nil
            }
        }
        return nil
    }

    // MARK: - As bytes arrive

    package enum Outcome: Sendable, Equatable {
        /// Fewer than `windowByteCount` bytes have come.
        case undecided
        case looksLike(MediaType)
        case refused
    }

    /// Changes once, when the window is full.
    package private(set) var outcome = Outcome.undecided
    package private(set) var byteCount = 0
    private var head: [UInt8] = []
    private var tail: [UInt8] = []

    package init() {}

    /// Takes the file's next bytes, however they are cut; keeps at most `windowByteCount` + 3 × `tailByteCount` of them.
    @discardableResult
    package mutating func receive(_ bytes: some RandomAccessCollection<UInt8>) -> Outcome {
        if head.count < Self.windowByteCount { head.append(contentsOf: bytes.prefix(Self.windowByteCount - head.count)) }
        tail.append(contentsOf: bytes.suffix(Self.tailByteCount))
        // Trimmed only when twice too long, so that a body that trickles in by the byte does not move the tail at each of them.
        if tail.count > 2 * Self.tailByteCount { tail.removeFirst(tail.count - Self.tailByteCount) }
        byteCount += bytes.count
        if outcome == .undecided, head.count == Self.windowByteCount {
            outcome = Self.sniff(head: head).map(Outcome.looksLike) ?? .refused
        }
        return outcome
    }

    /// What the file was, now that it has ended.
    package func finish() -> MediaType? {
        outcome == .refused ? nil : Self.verify(head: head, tail: tail, byteCount: byteCount)
    }
}

/// One row of the table: a signature, and the structure behind it, "not only magic bytes".
protocol FileFormat: Sendable {
    /// The type that the first bytes claim. All that this reads must be there: `nil` and any error mean "not this format".
    static func claim(_ seen: Excerpt) throws(ReadFailure) -> MediaType?

    /// Follows the structure as far as it is seen.
    /// - Throws: `.unseen` when it goes on beyond that, `.missing` when the file ends first, `.wrong` when it contradicts the claim.
    static func check(_ seen: Excerpt, as type: MediaType) throws(ReadFailure)
}
