/// Passwords that attackers try first, because most people choose from the same few.
enum CommonPasswords {
    /// Whether the password is one of the list, in upper or lower case.
    static func contains(_ password: String) -> Bool { all.contains(password.lowercased()) }

    /// Made when the first password is checked. Takes about half a megabyte.
    private static let all = Set(list.split(whereSeparator: \.isWhitespace).map(String.init))
}
