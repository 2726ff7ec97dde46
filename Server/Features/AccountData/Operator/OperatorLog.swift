import Core
import Database
import Jobs
import KeepsakeWire
import Logging

/// Who makes an operator's change to an account.
package enum Operator: Sendable, Equatable {
    /// An administrator, by the id of the account.
    case administrator(String)
    /// A command, run by this user of the operating system.
    case command(user: String)
    /// The program itself, for example while it restores a backup. The log does not name it.
    case program
}

/// Logs what a command did to an account. Operators read the server's log, but the command is a separate process. So the command enqueues
/// this job, and the server runs it. If `record` is called in the write of the change, the job exists if and only if the change was
/// committed.
struct LogCommand: Job {
    static let kind = "accounts/log-command"

    let action: String
    let account: String
    let user: String
    /// Microseconds since 1970.
    let at: Int64
    let details: [String: String]
}

/// Logs who did what to which account.
struct OperatorLog: Sendable {
    let jobs: JobQueue
    let clock: WallClock
    let logger: Logger

    /// Records a command's change, so that the server logs it. Call it in the write that makes the change.
    func record(
        _ action: String, on account: String, by who: Operator, details: [String: String] = [:], _ tx: WriteTransaction
    ) throws {
        guard case .command(let user) = who else { return }
        let line = LogCommand(action: action, account: account, user: user, at: clock.now.microseconds, details: details)
        // The job has no owner, because the log line must outlive the account: the line may say who deleted it.
        try jobs.enqueue(line, owner: nil, tx)
    }

    /// Logs an administrator's change. Call it after the write that made the change.
    func write(_ action: String, on account: String, by who: Operator, isChanged: Bool, details: [String: String] = [:]) {
        guard case .administrator(let administrator) = who else { return }
        var metadata = Self.metadata(["action": action, "account": account, "administrator": administrator], details)
        metadata["changed"] = .stringConvertible(isChanged)
        logger.notice("an administrator changed an account", metadata: metadata)
    }

    /// Runs the job that `record` enqueued.
    func write(_ line: LogCommand) {
        logger.notice(
            "a command changed an account",
            metadata: Self.metadata(
                [
                    "action": line.action, "account": line.account, "user": line.user,
                    "at": WireDate.format(microseconds: line.at, .microseconds),
                ], line.details))
    }

    private static func metadata(_ fields: [String: String], _ details: [String: String]) -> Logger.Metadata {
        var metadata: Logger.Metadata = details.mapValues { value($0) }
        for (key, text) in fields { metadata[key] = .string(text) }
        return metadata
    }

    /// The value for the line's JSON. Numbers and Booleans are logged as such, not as strings. The program itself makes the details, so no
    /// other text looks like a number.
    private static func value(_ detail: String) -> Logger.MetadataValue {
        if let number = Int64(detail) { return .stringConvertible(number) }
        if let isTrue = Bool(detail) { return .stringConvertible(isTrue) }
        return .string(detail)
    }
}
