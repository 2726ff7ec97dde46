import Blobs
import Core
import KeepsakeWire
import Media

/// Validation of capsules. Pure functions.
enum CapsuleRules {
    static func capsule(_ input: CreateCapsuleInput, id: String, owner: String, now: Timestamp) throws -> StoredCapsule {
        StoredCapsule(
            id: id, owner: owner, duration: try duration(input.duration), byteCount: try byteCount(input.fileSize),
            createdAt: try input.createdAt.map(date) ?? now, now: now)
    }

    /// Converts seconds to microseconds.
    static func duration(_ seconds: Double) throws -> Int64 {
        guard seconds > 0, seconds <= 604_800 else {
            throw Problem(.invalid, "duration must be a number of seconds above 0, at most 604800.", field: "duration")
        }
        return max(1, Int64((seconds * 1_000_000).rounded()))
    }

    static func byteCount(_ count: Int64) throws -> Int64 {
        guard 1...maxByteCount ~= count else {
            throw Problem(.invalid, "file_size must be 1…\(maxByteCount) bytes.", field: "file_size")
        }
        return count
    }

    /// Parses a time in ISO 8601, in the years 1…9999.
    static func date(_ text: String) throws -> Timestamp {
        guard let microseconds = WireDate.parseMicroseconds(try TextRules.line(text, field: "created_at", max: 64)),
            (-62_135_596_800..<253_402_300_800).contains(Timestamp(microseconds: microseconds).seconds)
        else { throw Problem(.invalid, "created_at must be ISO 8601, for example 2026-12-31T20:00:00.000000Z.", field: "created_at") }
        return Timestamp(microseconds: microseconds)
    }

    /// The most bytes of a recording: 200 MB.
    static let maxByteCount: Int64 = 209_715_200
    static let field = "audio"

    // MARK: The recording

    static let form = UploadRules(kinds: [MediaLibrary.recording], textFields: ["capsule_id"], keepsTheOthers: false)

    /// The limits of an upload by link: one audio file of about the announced size.
    static func put(_ capsule: StoredCapsule) -> UploadRules {
        var kind = MediaLibrary.recording
        kind.maxByteCount = min(kind.maxByteCount, sizes(around: capsule.byteCount).upperBound)
        return UploadRules(kinds: [kind], textFields: [], keepsTheOthers: false)
    }

    /// The accepted sizes in bytes: they differ from the announced size by 5 % at most.
    static func sizes(around byteCount: Int64) -> ClosedRange<Int64> {
        let slack = (byteCount + 19) / 20
        return max(1, byteCount - slack)...(byteCount + slack)
    }

    /// - Throws: `.tooLarge` or `.unprocessable` when the size differs from the announced one by more than 5 %.
    static func check(size: Int64, of capsule: StoredCapsule) throws {
        let sizes = sizes(around: capsule.byteCount)
        if size > sizes.upperBound { throw Problem(.tooLarge, "The audio exceeds the announced file_size by more than 5 %.") }
        if size < sizes.lowerBound {
            throw Problem(.unprocessable, "The audio is more than 5 % smaller than the announced file_size.")
        }
    }

    /// Accepts any audio type, because the content decides which type it is.
    static func check(contentType: String?) throws {
        guard let contentType, !contentType.hasPrefix("audio/"), contentType != "application/octet-stream" else { return }
        throw Problem(.invalid, "Content-Type must be an audio type, for example audio/wav.", field: "Content-Type")
    }
}

extension Problem {
    /// The error for a capsule that does not exist, and for one that belongs to another account.
    static let noSuchCapsule = Problem(.notFound, "There is no such capsule.")
    static let hasSound = Problem(.conflict, "The capsule already has its audio.")
}
