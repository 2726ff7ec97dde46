import ArgumentParser

/// A word that is in the place of a subcommand but is none, for example in `keepsake bakcup`. ArgumentParser alone would only report an
/// unexpected word.
struct MisspeltSubcommand: Equatable, CustomStringConvertible {
    /// The subcommands before the word, for example `users` in `keepsake users lsit`.
    let path: [String]
    let word: String
    /// The subcommand that was probably meant.
    let nearest: String

    var description: String {
        func line(_ last: String) -> String { (path + [last]).joined(separator: " ") }
        return "There is no subcommand \(line(word)); did you mean \(line(nearest))?"
    }

    /// Finds the misspelt word; `nil` if no subcommand is similar to the word. A command with a default subcommand is skipped, because the
    /// word may be an argument of that.
    /// - Parameter arguments: the program's arguments, without its name.
    static func find(in arguments: some Sequence<String>, of root: any ParsableCommand.Type) -> MisspeltSubcommand? {
        var command = root
        var path: [String] = []
        for word in arguments {
            let subcommands = command.configuration.subcommands
            guard !subcommands.isEmpty, command.configuration.defaultSubcommand == nil, !word.hasPrefix("-"), word != "help" else {
                return nil
            }
            guard let next = subcommands.first(where: { $0._commandName == word }) else {
                return SettingsFile.nearest(to: word, in: Set(subcommands.map { $0._commandName })).map {
                    MisspeltSubcommand(path: path, word: word, nearest: $0)
                }
            }
            command = next
            path.append(word)
        }
        return nil
    }
}
