import Media

/// The types of files that a chat takes, by the content type that they are stored and served with.
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

    /// In lower case, the usual one first.
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

    /// The document to read text from; `nil` for pictures, films and scenes.
    var document: DocumentType? {
        switch self {
        case .markdown, .text: .text
        case .pdf: .pdf
        case .docx: .docx
        case .doc: .doc
        case .jpeg, .png, .gif, .mp4, .mov, .usdz: nil
        }
    }

    /// - Parameter name: with one of the extensions, in upper or lower case.
    init?(name: String) {
        guard let dot = name.lastIndex(of: ".") else { return nil }
        let ending = name[name.index(after: dot)...].lowercased()
        guard let type = Self.allCases.first(where: { $0.fileExtensions.contains(ending) }) else { return nil }
        self = type
    }

    /// Whether a file whose content is of the type `found` may have a name of this type. Markdown is text.
    func agrees(with found: String) -> Bool {
        switch self {
        case .markdown: found == Self.text.rawValue
        default: found == rawValue
        }
    }
}
