internal import Core

/// The columns that every table of mailed codes has, for a row to insert.
struct NewCode: Sendable {
    let id: String
    /// `OneTimeCode.hash`.
    let hash: String
    let createdAt: Timestamp
    let expiresAt: Timestamp
}
