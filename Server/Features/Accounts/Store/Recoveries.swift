internal import Database
internal import Synchronization

/// What other features do when an account is recovered: they revoke secrets that an intruder may have made and that work without a session.
final class Recoveries: Sendable {
    typealias Revocation = @Sendable (_ account: String, _ tx: WriteTransaction) throws -> String?
    private let list = Mutex<[Revocation]>([])

    func add(_ revocation: @escaping Revocation) { list.withLock { $0.append(revocation) } }

    /// - Returns: what was revoked, for the mail to the owner.
    func run(_ account: String, _ tx: WriteTransaction) throws -> [String] {
        try list.withLock { $0 }.compactMap { try $0(account, tx) }
    }
}
