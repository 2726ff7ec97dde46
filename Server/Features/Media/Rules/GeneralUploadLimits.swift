import Blobs
import MediaFrames

/// How large general uploads may be: pictures and films of the library, of moods, of memories and of events. The operator sets it. Other
/// uploads (profile pictures, voice notes, capsules, captures, files of chats) have their own limits.
package struct GeneralUploadLimits: Sendable {
    /// Megabytes that the operator may set for one file, up to the largest file that the media worker reads.
    package static let fileMegabytes = 1...PictureLimits.byteCount / 1_048_576
    /// Megabytes that the operator may set for one request.
    package static let requestMegabytes = 2...6_144

    /// The most bytes of one file; default 50 MB.
    package var fileByteCount = MediaRules.attachments.maxByteCount
    /// The most bytes of one request; `nil` allows as many as the largest allowed files and fields have in total.
    package var requestByteCount: Int64?

    package init() {}

    /// - Parameter rules: the rules of a request that takes `MediaLibrary.attachments`.
    func applied(to rules: UploadRules) -> UploadRules {
        var rules = rules
        for index in rules.kinds.indices where rules.kinds[index].fields == MediaRules.attachments.fields {
            rules.kinds[index].maxByteCount = fileByteCount
        }
        rules.requestByteCount = requestByteCount
        return rules
    }
}
