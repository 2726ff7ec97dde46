import ArgumentParser
import Foundation
import Yams

/// Checks a file of settings before its values are read. Without this check, a key that nothing reads would be ignored silently, for
/// example a mistyped `registration: closed`.
enum SettingsFile {
    /// - Parameter name: the flag or variable that named the file; `nil` for the usual file.
    /// - Returns: the line of each key, or `nil` if the file has only comments.
    /// - Throws: `Settings.Wrong` with one line when the file is missing, cannot be read or is no YAML, or when it has an unknown key or a
    ///   key without a value.
    static func check(_ path: String, namedBy name: String?) throws -> [String: Int]? {
        let label = name.map { "\($0): \(path)" } ?? path
        let text = try text(path, label)
        let root: Node?
        do {
            root = try Yams.compose(yaml: text)
        } catch {
            throw Settings.Wrong(description: "\(label)\(fault(error))")
        }
        guard let root, root.scalar?.string.isEmpty != true else { return nil }
        guard let settings = root.mapping else {
            throw Settings.Wrong(description: "\(label)\(place(root.mark)): each line must look like quota_mb: 2048")
        }
        let known = keys
        var lines: [String: Int] = [:]
        for (name, value) in settings {
            let key = name.scalar?.string ?? "?"
            let location = label + place(name.mark)
            guard known.contains(key) else {
                let hint = nearest(to: key, in: known).map { "; did you mean \($0)?" } ?? ""
                throw Settings.Wrong(description: "\(location): there is no setting \(key)\(hint)")
            }
            guard let scalar = value.scalar else {
                throw Settings.Wrong(description: "\(location): \(key) must be one value; separate several by commas")
            }
            guard !isEmpty(scalar) else {
                throw Settings.Wrong(description: "\(location): \(key) has no value; write one after the colon, or delete the line")
            }
            lines[key] = name.mark?.line
        }
        return lines
    }

    /// Whether the key has no value: nothing after `key:`, or one of YAML's words for null.
    private static func isEmpty(_ value: Node.Scalar) -> Bool {
        value.string.isEmpty || (value.style == .plain && ["~", "null", "Null", "NULL"].contains(value.string))
    }

    /// The place in the file, such as `:12` for line 12.
    private static func place(_ mark: Mark?) -> String { mark.map { ":\($0.line)" } ?? "" }

    /// Says where the file is not valid YAML, and why. The lines that the error quotes are left out, because they may contain passwords.
    private static func fault(_ error: any Error) -> String {
        switch error {
        case YamlError.scanner(let context, let problem, let mark, _), YamlError.parser(let context, let problem, let mark, _),
            YamlError.composer(let context, let problem, let mark, _):
            "\(place(mark)) is no YAML: \(context.map { $0.text + ", " } ?? "")\(problem)"
        case YamlError.duplicatedKeysInMapping(let keys, let context):
            "\(place(context.mark)): set more than once: \(keys.sorted().joined(separator: ", "))"
        case YamlError.reader(let problem, _, _, _): " is no YAML: \(problem)"
        default: " is no YAML"
        }
    }

    /// The keys of all settings, found in the help of `serve`: the help of each flag names its variable.
    static let keys: Set<String> = {
        let help = Serve.helpMessage(includeHidden: true, columns: 10_000)
        let keys = help.matches(of: /\(KEEPSAKE_([A-Z0-9_]+)[=)]/).map { $0.output.1.lowercased() }
        // A file cannot contain the setting that names the file.
        return Set(keys).subtracting(["config"])
    }()

    /// - Returns: the key that differs in the fewest letters; `nil` when every key differs in more than half of its letters.
    static func nearest(to key: String, in known: Set<String>) -> String? {
        let plain = key.lowercased().replacing("-", with: "_").trimmingPrefix("keepsake_")
        let near = known.sorted().map { (key: $0, distance: distance($0, plain)) }.filter { $0.distance <= $0.key.count / 2 }
        return near.min { $0.distance < $1.distance }?.key
    }

    /// How many letters must be added, removed or replaced to get from one text to the other.
    private static func distance(_ one: some StringProtocol, _ other: some StringProtocol) -> Int {
        let letters = Array(other)
        var row = Array(0...letters.count)
        for (line, letter) in one.enumerated() {
            var corner = row[0]
            row[0] = line + 1
            for column in letters.indices {
                let replaced = corner + (letters[column] == letter ? 0 : 1)
                corner = row[column + 1]
                row[column + 1] = min(replaced, corner + 1, row[column] + 1)
            }
        }
        return row[letters.count]
    }
}
