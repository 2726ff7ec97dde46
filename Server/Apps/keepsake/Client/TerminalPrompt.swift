import Foundation

#if canImport(Glibc)
    import Glibc
#elseif canImport(Darwin)
    import Darwin
#endif

/// Reads from the person at the terminal.
enum TerminalPrompt {
    /// - Throws: `ClientFailure` with exit code 64 if there is no terminal. Its message is `hint`, which says what to do instead.
    static func line(_ prompt: String, hint: String) throws -> String {
        guard isatty(0) == 1 else { throw ClientFailure(.usage, hint) }
        try? FileHandle.standardError.write(contentsOf: Data(prompt.utf8))
        guard let line = readLine(), !line.isEmpty else { throw ClientFailure(.usage, hint) }
        return line
    }

    /// Reads a password. The terminal does not show it.
    static func password(hint: String) throws -> String {
        guard isatty(0) == 1, let text = getpass("Password: ") else { throw ClientFailure(.usage, hint) }
        return String(cString: text)
    }
}
