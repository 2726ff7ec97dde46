import Logging
import Synchronization

/// Records what the server under test logs. Pass `logger` to `TestServer.run`.
final class LogLines: Sendable {
    private struct Line {
        let level: Logger.Level
        let message: String
        /// The metadata of the call.
        let own: [String: String]
        /// The metadata of the call and of the logger.
        let all: [String: String]
    }

    private let lines = Mutex<[Line]>([])
    private let level: Logger.Level

    /// - Parameter level: the lowest level that is recorded.
    init(level: Logger.Level = .info) { self.level = level }

    var logger: Logger { Logger(label: "test") { [level] _ in Handler(lines: self, logLevel: level) } }

    /// The metadata of each line with this message, without the logger's own metadata, such as the request's id.
    func of(_ message: String) -> [[String: String]] { lines.withLock { $0.filter { $0.message == message }.map(\.own) } }

    /// All lines, each with its level and all its metadata. Tests search this text for what must not be logged.
    var text: String { lines.withLock { $0.map { "\($0.level) \($0.message) \($0.all)" }.joined(separator: "\n") } }

    private struct Handler: LogHandler {
        let lines: LogLines
        var metadata: Logger.Metadata = [:]
        var logLevel: Logger.Level

        subscript(metadataKey key: String) -> Logger.Metadata.Value? {
            get { metadata[key] }
            set { metadata[key] = newValue }
        }

        func log(event: LogEvent) {
            let own = event.metadata ?? [:]
            let all = metadata.merging(own) { $1 }
            let line = Line(
                level: event.level, message: "\(event.message)", own: own.mapValues { "\($0)" }, all: all.mapValues { "\($0)" })
            lines.lines.withLock { $0.append(line) }
        }
    }
}
