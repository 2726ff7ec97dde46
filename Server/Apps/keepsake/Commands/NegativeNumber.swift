/// Lets an option have a negative number as its value, as in `--port -1`. ArgumentParser alone would take the number for another option,
/// and report that the value of `--port` is missing. Joined by `=`, the number is a value, and the command reports which numbers it
/// accepts.
enum NegativeNumber {
    /// - Parameter arguments: the program's arguments, without its name.
    /// - Returns: the arguments, with each such number joined to the option before it.
    static func joined(_ arguments: some Sequence<String>) -> [String] {
        var joined: [String] = []
        var areOptions = true
        for argument in arguments {
            // The arguments after `--` are not options.
            if argument == "--" { areOptions = false }
            let digit = argument.hasPrefix("-") ? argument.dropFirst().first : nil
            if areOptions, let option = joined.last, option.hasPrefix("--"), !option.contains("="), let digit, "0"..."9" ~= digit {
                joined[joined.count - 1] = "\(option)=\(argument)"
            } else {
                joined.append(argument)
            }
        }
        return joined
    }
}
