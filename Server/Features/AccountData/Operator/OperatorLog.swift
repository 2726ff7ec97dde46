import Core
import Database
import Jobs
import KeepsakeWire
import Logging

/// Who changes an account as its operator.
package enum Operator: Sendable, Equatable {
    /// The id of an administrator's account.
    case administrator(String)
    /// The operating system's user who runs a command.
    case command(user: String)
    /// The program itself, for example while it restores a backup. The log does not name it.
    case program
}

/// Logs what a command did to an account. Operators read the server's log, and the command is a separate process, so it enqueues this job,
/// which the server runs. If `record` is called in the write of the change, the job exists if and only if the change was committed.
struct LogCommand: Job {
    static let kind = "accounts/log-command"

    let action: String
    let account: String
    let user: String
    /// Microseconds since 1970.
    let at: Int64
    let details: [String: String]
}

/// Names in the log who did what to which account.
struct OperatorLog: Sendable {
    let jobs: JobQueue
    let clock: WallClock
    let logger: Logger

    /// Call it in the write that makes the change.
    func record(
        _ action: String, on account: String, by who: Operator, details: [String: String] = [:], _ tx: WriteTransaction
    ) throws {
        guard case .command(let user) = who else { return }
        let line = LogCommand(action: action, account: account, user: user, at: clock.now.microseconds, details: details)
        // The job has no owner, because the line must outlive the account: it may say who deleted the account.
        try jobs.enqueue(line, owner: nil, tx)
    }

    /// Call it after that write.
    func write(_ action: String, on account: String, by who: Operator, isChanged: Bool, details: [String: String] = [:]) {
        guard case .administrator(let administrator) = who else { return }
        var metadata = Self.metadata(["action": action, "account": account, "administrator": administrator], details)
        metadata["changed"] = .stringConvertible(isChanged)
        logger.notice("an administrator changed an account", metadata: metadata)
    }

    /// Runs the job.
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

    /// Logs a number or a Boolean as such, not as a string, in the line's JSON. Details come from the program itself, so no other text
    /// looks like a number.
    private static func value(_ detail: String) -> Logger.MetadataValue {
        if let number = Int64(detail) { return .stringConvertible(number) }
        if let isTrue = Bool(detail) { return .stringConvertible(isTrue) }
        return .string(detail)
    }
}
