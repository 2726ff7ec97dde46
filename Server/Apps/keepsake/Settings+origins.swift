import Synchronization

extension Settings.Source {
    /// Remembers whether a setting's value came from a flag, a variable or the file, so that an error names what the operator wrote.
    final class Origins: Sendable {
        enum Origin: Sendable { case flag, variable, file }

        private struct State {
            var file = ""
            /// The line of each key in the file.
            var lines: [String: Int] = [:]
            /// Where each setting's value came from, by the setting's key. A setting without a value has no entry.
            var origins: [String: Origin] = [:]
        }

        /// Settings that are secrets. Every user of the machine can read a flag, so no message proposes a flag for them.
        private static let secrets: Set = ["smtp_password", "transcriber_key", "analyzer_key", "chat_model_key", "metrics_token"]

        private let state = Mutex(State())

        func setFile(_ path: String, lines: [String: Int]) {
            state.withLock {
                $0.file = path
                $0.lines = lines
            }
        }

        func note(_ key: String, _ origin: Origin) { state.withLock { $0.origins[key] = origin } }

        func isSet(_ key: String) -> Bool { state.withLock { $0.origins[key] != nil } }

        /// Replaces the names of variables in a message by the form that the operator used: `KEEPSAKE_LINK_DAYS` becomes `--link-days`, or
        /// `link_days in keepsake.yaml:12`. A value after the name stays with it. If a setting has no value, its name gets the form of the
        /// first setting in the message that has one.
        func naming(in message: String) -> String {
            let state = state.withLock { $0 }
            let pattern = /KEEPSAKE_([A-Z0-9_]+)(?:=([a-z0-9]+(?:\.[a-z0-9]+)*))?/
            let form = message.matches(of: pattern).compactMap { state.origins[$0.output.1.lowercased()] }.first ?? .variable
            return message.replacing(pattern) { match -> String in
                let key = match.output.1.lowercased()
                let value = match.output.2.map { String($0) }
                let isSet = state.origins[key] != nil
                switch state.origins[key] ?? form {
                case .flag where isSet || !Self.secrets.contains(key):
                    return "--\(key.replacing("_", with: "-"))\(value.map { " \($0)" } ?? "")"
                case .file:
                    let pair = "\(key)\(value.map { ": \($0)" } ?? "")"
                    guard isSet else { return pair }
                    return "\(pair) in \(state.file)\(state.lines[key].map { ":\($0)" } ?? "")"
                case .flag, .variable: return String(match.output.0)
                }
            }
        }
    }
}

extension Settings {
    /// Replaces the names of variables in a message by the names that the operator used.
    func naming(_ message: String) -> String { written.naming(in: message) }
}
