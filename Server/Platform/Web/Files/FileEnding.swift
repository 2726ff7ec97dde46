/// The endings of file names. A program that opens a saved file goes by its ending, so a file is served with one of its content's: a
/// picture that was uploaded as `photo.html` must not be opened as a page.
enum FileEnding {
    /// The usual one first.
    private static let endings: [String: [String]] = [
        "image/jpeg": ["jpg", "jpeg", "jpe", "jfif"], "image/png": ["png"], "image/webp": ["webp"], "image/gif": ["gif"],
        "image/heic": ["heic", "heif"], "image/heif": ["heif", "heic"], "image/avif": ["avif"],
        "video/mp4": ["mp4", "m4v"], "video/quicktime": ["mov", "qt"],
        "audio/mpeg": ["mp3"], "audio/mp4": ["m4a", "mp4", "aac"], "audio/wav": ["wav", "wave"],
        "application/pdf": ["pdf"], "application/zip": ["zip"],
    ]
    /// Of what is taken for an ending, in bytes: `html`, `xhtml`, `desktop`. What is longer is a part of the name.
    private static let maxByteCount = 10

    /// - Returns: the name as it is when it has an ending of its content, or the content's endings are not known here; else the name
    ///   with the usual ending in place of its own.
    static func name(_ name: String, of contentType: String) -> String {
        guard let known = endings[contentType] else { return name }
        let dot = name.lastIndex(of: ".")
        let ending = dot.map { name[name.index(after: $0)...] } ?? ""
        if known.contains(ending.lowercased()) { return name }
        guard let dot, ending.utf8.count <= maxByteCount, ending.allSatisfy({ $0.isLetter || $0.isNumber }) else {
            return "\(name).\(known[0])"
        }
        let stem = name[..<dot]
        return "\(stem.isEmpty ? "file" : stem).\(known[0])"
    }
}
