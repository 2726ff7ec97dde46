package import Core

/// An account that is not closed.
package struct OpenAccount: Sendable {
    package let id: String
    package let createdAt: Timestamp
    package let isSuspended: Bool
}
