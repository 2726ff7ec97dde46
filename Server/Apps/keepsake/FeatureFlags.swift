import FeatureKit

/// The flags of features' settings. ArgumentParser knows only flags that are properties of a type; a feature's setting is a value, so that
/// a new feature needs no edit here. Each such flag is rewritten as `--feature-setting KEY=VALUE` before the arguments are parsed.
enum FeatureFlags {
    /// - Parameter arguments: without the program's name.
    static func rewritten(_ arguments: [String], _ settings: [any FeatureSettingReader] = known) -> [String] {
        var result: [String] = []
        var rest = arguments[...]
        while let argument = rest.popFirst() {
            // Arguments after -- are not flags.
            if argument == "--" { return result + [argument] + rest }
            let parts = argument.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            guard let setting = settings.first(where: { flag($0.key) == parts[0] }) else {
                result.append(argument)
                continue
            }
            guard let value = parts.count == 2 ? String(parts[1]) : rest.popFirst() else {
                // Without a value, so that the parser reports it as missing.
                return result + ["--feature-setting"]
            }
            result += ["--feature-setting", "\(setting.key)=\(value)"]
        }
        return result
    }

    /// For `--help`.
    static var help: String {
        let lines = known.map { setting in
            "  \(flag(setting.key)) <value>\n      \(setting.help) (KEEPSAKE_\(setting.key.uppercased()))"
        }
        return (["Settings of features, which every command takes:"] + lines).joined(separator: "\n")
    }

    private static var known: [any FeatureSettingReader] { Features.types.flatMap { $0.settings } }
    private static func flag(_ key: String) -> String { "--" + key.replacing("_", with: "-") }
}
