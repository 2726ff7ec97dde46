/// A job that cannot be kept. A mistake in the program, not of whoever made the request.
package enum JobError: Error, Sendable, Equatable, CustomStringConvertible {
    case payloadTooLarge(kind: String, byteCount: Int)
    /// Empty, longer than 200 bytes, or with a NUL in it.
    case keyUnusable(kind: String)

    package var description: String {
        switch self {
        case .payloadTooLarge(let kind, let byteCount):
            "the payload of a job \(kind) has \(byteCount) bytes, more than \(JobLimits.payloadByteCount)"
        case .keyUnusable(let kind):
            "the key of a job \(kind) is empty, longer than \(JobLimits.keyByteCount) bytes, or holds a NUL"
        }
    }
}
