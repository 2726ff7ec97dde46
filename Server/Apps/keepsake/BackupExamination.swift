import Core
import FeatureKit
import KeepsakeWire

/// The check `backup` of `keepsake doctor`. It never fails: the server works without a backup, and some operators back up by other means.
struct BackupExamination {
    /// If the newest backup is older, the result is a warning.
    private static let age = Duration.days(7)

    let now: Timestamp

    /// - Parameter last: when the newest snapshot without damaged files was made; `nil` if there was none.
    /// - Throws: `Examination.Warning` if that is more than seven days ago, or there was none.
    func run(last: Timestamp?) throws -> String {
        guard let last else {
            throw Examination.Warning("none was made with keepsake backup; see docs/operations/backup.md")
        }
        let days = (now - last).components.seconds / 86_400
        let text = """
            the last one was made at \(WireDate.format(microseconds: last.microseconds, .wholeSeconds)), \
            \(days < 1 ? "less than a day" : Output.count(days, "day")) ago
            """
        guard now - last <= Self.age else { throw Examination.Warning("\(text); run keepsake backup") }
        return text
    }
}
