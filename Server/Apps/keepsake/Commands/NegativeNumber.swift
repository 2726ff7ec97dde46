/// A negative number as the value of an option, as in `--port -1`. ArgumentParser would take it for another option, and say that the value
/// of `--port` is missing. With `=`, it is a value, and the command says which numbers it takes.
enum NegativeNumber {
    /// - Parameter arguments: the program's arguments, without its name.
    /// - Returns: the same, with each such number joined to the option before it.
    static func joined(_ arguments: some Sequence<String>) -> [String] {
        var joined: [String] = []
        var areOptions = true
        for argument in arguments {
            // What follows `--` is no option.
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
