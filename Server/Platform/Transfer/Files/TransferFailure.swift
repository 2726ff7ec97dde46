/// Why a copy, a backup or a restore stopped. The message says what happened and what to do; it contains no secret.
package struct TransferFailure: Error, Sendable, Equatable, CustomStringConvertible {
    package enum Kind: Sendable {
        /// The request makes no sense for these places, for example a target that is not empty.
        case refused
        /// Something that is needed is missing or full.
        case unavailable
        /// Stored rows or bytes are not what they were.
        case damaged
    }

    package let kind: Kind
    package let description: String
    /// The file or folder for which its disk had no space left; `nil` for other failures.
    package let fullPath: String?

    package init(_ kind: Kind, _ description: String, fullPath: String? = nil) {
        self.kind = kind
        self.description = description
        self.fullPath = fullPath
    }
}
