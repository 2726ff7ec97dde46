internal import Blobs
internal import Core
package import MediaFrames

/// Documents that some features store in addition to media, by the content type that they are stored and served with.
package enum DocumentType: String, Sendable, CaseIterable {
    case text = "text/plain"
    case pdf = "application/pdf"
    case docx = "application/vnd.openxmlformats-officedocument.wordprocessingml.document"
    case doc = "application/msword"
    case usdz = "model/vnd.usdz+zip"

    package init(_ kind: DocumentKind) {
        switch kind {
        case .text: self = .text
        case .pdf: self = .pdf
        case .docx: self = .docx
        case .doc: self = .doc
        case .usdz: self = .usdz
        }
    }

    package var kind: DocumentKind {
        switch self {
        case .text: .text
        case .pdf: .pdf
        case .docx: .docx
        case .doc: .doc
        case .usdz: .usdz
        }
    }

    /// The type of a file that begins like a ZIP archive. The media worker finds out which document it is.
    static let archive = "application/zip"
    /// The types that the media worker examines before a file is stored.
    static let examined: Set<String> = [archive, text.rawValue, doc.rawValue]

    /// The type by the first bytes. The media worker reads the rest.
    static func sniff(_ head: [UInt8]) -> String? {
        if head.starts(with: "%PDF-".utf8) { return pdf.rawValue }
        if head.starts(with: [0x50, 0x4B, 3, 4]) { return archive }
        if head.starts(with: [0xD0, 0xCF, 0x11, 0xE0, 0xA1, 0xB1, 0x1A, 0xE1]) { return doc.rawValue }
        return mayBeText(head) ? text.rawValue : nil
    }

    private static func mayBeText(_ head: [UInt8]) -> Bool {
        // A byte order mark is enough for UTF-16, in which every other byte of most texts is zero.
        if head.starts(with: [0xFF, 0xFE]) || head.starts(with: [0xFE, 0xFF]) { return true }
        return head.allSatisfy { $0 >= 0x20 && $0 != 0x7F || $0 == 0x09 || $0 == 0x0A || $0 == 0x0C || $0 == 0x0D }
    }
}
