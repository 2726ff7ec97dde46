/// What somebody called a file, as the name of one in an archive: whoever unpacks it gets one file in that folder, whatever it was called.
enum ArchiveName {
    /// Bytes of UTF-8: file systems take 255, and the id stands before it.
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
        // Windows drops these at the end.
        while let last = safe.last, last == "." || last == " " { safe.removeLast() }
        return safe.isEmpty ? "file" : safe
    }
}
