/// A variable of the environment whose name looks like a misspelt setting, for example `KEEPSAKE_REGISTRATON=closed`. Nothing reads it.
struct MisspeltVariable: Equatable, CustomStringConvertible {
    let name: String
    /// The variable that was probably meant.
    let nearest: String

    var description: String { "\(name) is not a setting and is ignored; did you mean \(nearest)?" }

    /// The beginnings of names that only other commands read: `keepsake copy`, `backup` and `restore`.
    private static let otherPrefixes = ["KEEPSAKE_FROM_", "KEEPSAKE_TO_", "KEEPSAKE_BACKUP_"]

    /// Finds the misspelt variables. A variable that is similar to no setting is left out, because scripts and reverse proxies use the
    /// prefix, too.
    /// - Returns: the variables, sorted by name.
    static func all(in environment: [String: String]) -> [MisspeltVariable] {
        let names = environment.keys.filter { name in
            name.hasPrefix("KEEPSAKE_") && !otherPrefixes.contains { name.hasPrefix($0) }
        }
        guard !names.isEmpty else { return [] }
        let keys = SettingsFile.keys.union(["config"])
        let known = Set(keys.map { "KEEPSAKE_\($0.uppercased())" })
        return names.sorted().compactMap { name in
            guard !known.contains(name), let key = SettingsFile.nearest(to: name, in: keys) else { return nil }
            return MisspeltVariable(name: name, nearest: "KEEPSAKE_\(key.uppercased())")
        }
    }
}
