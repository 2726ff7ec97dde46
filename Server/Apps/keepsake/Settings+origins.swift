import Synchronization

extension Settings.Source {
    /// Remembers whether a setting's value came from a flag, a variable or the file, so that an error names what the operator wrote.
    final class Origins: Sendable {
        enum Origin: Sendable { case flag, file }

        private struct State {
            var file = ""
            /// By the setting's key. Without one, the value came from a variable, or there is none.
            var origins: [String: Origin] = [:]
        }

        private let state = Mutex(State())

        func setFile(_ path: String) { state.withLock { $0.file = path } }
        func note(_ key: String, _ origin: Origin) { state.withLock { $0.origins[key] = origin } }

        /// `KEEPSAKE_LINK_DAYS` becomes `--link-days`, or `link_days in keepsake.yaml`. A value after the name stays with it.
        func naming(in message: String) -> String {
            let (file, origins) = state.withLock { ($0.file, $0.origins) }
            return message.replacing(/KEEPSAKE_([A-Z0-9_]+)(?:=([a-z]+))?/) { match -> String in
                let key = match.output.1.lowercased()
                let value = match.output.2.map { String($0) }
                switch origins[key] {
                case .flag: return "--\(key.replacing("_", with: "-"))\(value.map { " \($0)" } ?? "")"
                case .file: return "\(key)\(value.map { ": \($0)" } ?? "") in \(file)"
                case nil: return String(match.output.0)
                }
            }
        }
    }
}
