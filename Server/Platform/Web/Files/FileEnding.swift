/// File name extensions. A program that opens a saved file goes by its extension, so the server gives a file an extension of its actual
/// content: a program must not open a picture that was uploaded as `photo.html` as a page.
enum FileEnding {
    /// The extensions of each content type, the usual one first.
    private static let endings: [String: [String]] = [
        "image/jpeg": ["jpg", "jpeg", "jpe", "jfif"], "image/png": ["png"], "image/webp": ["webp"], "image/gif": ["gif"],
        "image/heic": ["heic", "heif"], "image/heif": ["heif", "heic"], "image/avif": ["avif"],
        "video/mp4": ["mp4", "m4v"], "video/quicktime": ["mov", "qt"],
        "audio/mpeg": ["mp3"], "audio/mp4": ["m4a", "mp4", "aac"], "audio/wav": ["wav", "wave"],
        "application/pdf": ["pdf"], "application/zip": ["zip"],
    ]
    /// The longest extension, in bytes, for example `html`, `xhtml`, `desktop`. A longer text after a dot is part of the name.
    private static let maxByteCount = 10

    /// - Returns: `name` unchanged if its extension fits the content type, or if the content type is not in the table; otherwise `name`
    ///   with the usual extension in place of its own.
    static func name(_ name: String, of contentType: String) -> String {
        guard let known = endings[contentType] else { return name }
        // Most names fit. Compare bytes first, which is faster than comparing characters.
        if known.contains(where: { hasEnding($0, name) }) { return name }
        let dot = name.lastIndex(of: ".")
        let ending = dot.map { name[name.index(after: $0)...] } ?? ""
        if known.contains(ending.lowercased()) { return name }
        guard let dot, ending.utf8.count <= maxByteCount, ending.allSatisfy({ $0.isLetter || $0.isNumber }) else {
            return "\(name).\(known[0])"
        }
        let stem = name[..<dot]
        return "\(stem.isEmpty ? "file" : stem).\(known[0])"
    }

    /// - Parameter ending: lower-case letters and digits.
    private static func hasEnding(_ ending: String, _ name: String) -> Bool {
        let (ending, name) = (ending.utf8, name.utf8)
        guard name.count > ending.count, name.dropLast(ending.count).last == UInt8(ascii: ".") else { return false }
        return name.suffix(ending.count).elementsEqual(ending) {
            $0 == $1 || UInt8(ascii: "A")...UInt8(ascii: "Z") ~= $0 && $0 | 0x20 == $1
        }
    }
}
