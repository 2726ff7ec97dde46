/// Turns a file's name into a safe name inside an archive: unpacking it creates one file in the intended folder, whatever the name was.
enum ArchiveName {
    /// In UTF-8. File systems allow 255 bytes, and the id precedes the name.
    static let byteCount = 180

    static func safe(_ name: String) -> String {
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
