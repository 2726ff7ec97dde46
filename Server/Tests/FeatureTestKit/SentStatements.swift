import Core
import Database
import Foundation
import Synchronization
import TestKit

/// Records the text of every statement that the server under test sends, for `scripts/record-sql`. In other test runs it does nothing.
///
/// For each new text, it immediately appends a line of JSON, `{"text":…,"kinds":[…]}`, so that nothing is lost when a test process ends.
final class SentStatements: Sendable {
    /// The folder for the records, which `scripts/record-sql` sets.
    private static let folder = ProcessInfo.processInfo.environment["KEEPSAKE_RECORD_SQL"].flatMap { $0.isEmpty ? nil : $0 }
    private static let records: [Engine: SentStatements] =
        folder.map { folder in
            Dictionary(uniqueKeysWithValues: Engine.allCases.map { ($0, SentStatements(folder + "/\($0.rawValue.lowercased()).jsonl")) })
        } ?? [:]

    static var isRecording: Bool { folder != nil }

    /// Writes another file into the folder.
    static func note(_ text: String, in name: String) throws {
        guard let folder else { return }
        try Data(text.utf8).write(to: URL(filePath: folder + "/" + name))
    }

    /// If this run records, wraps a database of the server under test.
    static func recording(_ engine: Engine) -> (any Database) -> any Database {
        guard let record = records[engine] else { return { $0 } }
        return { ObservedDatabase(base: $0, observe: record.add) }
    }

    private let file: String
    private let known = Mutex<Set<String>>([])

    private init(_ file: String) { self.file = file }

    private func add(_ sql: SQL) {
        let text = sql.text { "$\($0)" }
        let kinds = sql.values.map(\.kindName)
        // The same statement counts as new if the types differ: a value may be NULL first and have a type later.
        let key = text + kinds.joined(separator: ",")
        known.withLock { known in
            guard known.insert(key).inserted else { return }
            let line: [String: Any] = ["text": text, "kinds": kinds]
            guard let data = try? JSONSerialization.data(withJSONObject: line) else { return }
            if !FileManager.default.fileExists(atPath: file) { _ = FileManager.default.createFile(atPath: file, contents: nil) }
            guard let handle = FileHandle(forWritingAtPath: file) else { return }
            _ = try? handle.seekToEnd()
            try? handle.write(contentsOf: data + Data("\n".utf8))
            try? handle.close()
        }
    }
}

extension SQLValue {
    /// The name of the type in `compat/`.
    fileprivate var kindName: String {
        switch self {
        case .null: "null"
        case .integer: "integer"
        case .real: "real"
        case .text: "text"
        case .bytes: "bytes"
        }
    }
}
