/// Turns a file's name into a safe name inside an archive: unpacking the archive creates one file in the intended folder, whatever the name
/// was.
package enum ArchiveName {
    /// The most bytes of a safe name in UTF-8. File systems allow 255 bytes, and the id precedes the name.
    static let byteCount = 180

    package static func safe(_ name: String) -> String {
        var safe = ""
        for scalar in name.unicodeScalars {
            guard safe.utf8.count + 4 <= byteCount else { break }
            let isUnsafe =
                scalar.value < 0x20 || 0x7F...0x9F ~= scalar.value || "/\\:*?\"<>|".unicodeScalars.contains(scalar)
                || scalar.properties.generalCategory == .format
            safe.unicodeScalars.append(isUnsafe ? "_" : scalar)
        }
        // Windows removes trailing dots and spaces.
        while let last = safe.last, last == "." || last == " " { safe.removeLast() }
        return safe.isEmpty ? "file" : safe
    }
}

/// The names of the files in one archive, each different from all others.
package struct ArchiveNames: Sendable {
    private var used: Set<String> = []
    /// For each name without a number: the last number that was appended to it.
    private var numbers: [String: Int] = [:]

    package init() {}

    /// A safe name. The second file with the same name gets a number, for example `photo (2).jpg`. Some file systems do not distinguish the
    /// case of letters, so names that differ only in case count as the same.
    package mutating func next(_ name: String) -> String {
        let safe = ArchiveName.safe(name)
        // Swift compares strings by characters, so a composed and a decomposed "ä" count as the same name.
        if used.insert(safe.lowercased()).inserted { return safe }
        let dot = safe.lastIndex(of: ".").flatMap { $0 > safe.startIndex ? $0 : nil } ?? safe.endIndex
        while true {
            let number = numbers[safe.lowercased(), default: 1] + 1
            numbers[safe.lowercased()] = number
            let numbered = "\(safe[..<dot]) (\(number))\(safe[dot...])"
            if used.insert(numbered.lowercased()).inserted { return numbered }
        }
    }
}
