import Media

/// The file types that a chat accepts. Each raw value is the content type with which the server stores and serves the file.
enum ChatFileType: String, Sendable, CaseIterable {
    case jpeg = "image/jpeg"
    case png = "image/png"
    case gif = "image/gif"
    case mp4 = "video/mp4"
    case mov = "video/quicktime"
    case markdown = "text/markdown"
    case pdf = "application/pdf"
    case docx = "application/vnd.openxmlformats-officedocument.wordprocessingml.document"
    case text = "text/plain"
    case doc = "application/msword"
    case usdz = "model/vnd.usdz+zip"

    /// The file name extensions, in lower case, the usual one first.
    var fileExtensions: [String] {
        switch self {
        case .jpeg: ["jpg", "jpeg"]
        case .png: ["png"]
        case .gif: ["gif"]
        case .mp4: ["mp4"]
        case .mov: ["mov"]
        case .markdown: ["md"]
        case .pdf: ["pdf"]
        case .docx: ["docx"]
        case .text: ["txt"]
        case .doc: ["doc"]
        case .usdz: ["usdz"]
        }
    }

    var isImage: Bool { rawValue.hasPrefix("image/") }

    /// The document type to read the text as; `nil` for pictures, films and scenes.
    var document: DocumentType? {
        switch self {
        case .markdown, .text: .text
        case .pdf: .pdf
        case .docx: .docx
        case .doc: .doc
        case .jpeg, .png, .gif, .mp4, .mov, .usdz: nil
        }
    }

    /// - Parameter name: a file name. Its extension, in upper or lower case, decides the type.
    init?(name: String) {
        guard let dot = name.lastIndex(of: ".") else { return nil }
        let ending = name[name.index(after: dot)...].lowercased()
        guard let type = Self.allCases.first(where: { $0.fileExtensions.contains(ending) }) else { return nil }
        self = type
    }

    /// Whether a file with a name of this type may have content of the type `found`. Markdown content is detected as text.
    func agrees(with found: String) -> Bool {
        switch self {
        case .markdown: found == Self.text.rawValue
        default: found == rawValue
        }
    }
}
