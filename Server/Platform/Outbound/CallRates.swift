package import Core

/// Limits how many calls to engines outside the installation an account, and all accounts of a network together, make a minute. Providers
/// limit the calls of the whole installation. Without this, one account could use up what the provider grants to all.
package protocol CallRates: Sendable {
    /// Counts a call.
    /// - Parameter network: `nil` for a job.
    /// - Returns: how long to wait for the next call, if there were too many; `nil` when the call may be made.
    func take(account: String, network: Network?) async throws -> Duration?
}
