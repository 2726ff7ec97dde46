/// A job that cannot be stored. It is a programming error, not an error of the client.
package enum JobError: Error, Sendable, Equatable, CustomStringConvertible {
    case payloadTooLarge(kind: String, byteCount: Int)
    /// The key is empty, longer than 200 bytes, or contains a NUL.
    case keyUnusable(kind: String)

    package var description: String {
        switch self {
        case .payloadTooLarge(let kind, let byteCount):
            "the payload of a job \(kind) has \(byteCount) bytes, more than \(JobLimits.payloadByteCount)"
        case .keyUnusable(let kind):
            "the key of a job \(kind) is empty, longer than \(JobLimits.keyByteCount) bytes, or contains a NUL"
        }
    }
}
