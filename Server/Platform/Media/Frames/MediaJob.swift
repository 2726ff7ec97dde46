/// A request to a worker. The file is passed as a descriptor.
package enum MediaJob: Sendable, Hashable {
    case inspect
    /// Reads the properties of an MP4 or QuickTime file from its boxes.
    case film
    /// Reads how much audio a file claims to have, so that its size is checked before it is decoded.
    case sound
    case variant(VariantRequest)
    /// Copies a picture without its metadata and without decoding it: the same pixels, orientation and colour profile.
    case strip
    /// Measures what a picture shows: its colours, how sharp it is, and where it was taken.
    case measure
    /// Recognises a document by its content, and checks an archive before anything opens it.
    case document
    /// Reads the text of a document whose kind is `text` or `docx`.
    case text(DocumentKind)

    /// Whether the job decodes the pixels of a picture. Every other job takes only milliseconds for an ordinary file.
    package var decodesPicture: Bool {
        switch self {
        case .variant, .measure: true
        case .inspect, .film, .sound, .strip, .document, .text: false
        }
    }

    package var frame: FlatJSON {
        switch self {
        case .inspect: FlatJSON(["job": .text("inspect")])
        case .film: FlatJSON(["job": .text("film")])
        case .sound: FlatJSON(["job": .text("sound")])
        case .strip: FlatJSON(["job": .text("strip")])
        case .measure: FlatJSON(["job": .text("measure")])
        case .document: FlatJSON(["job": .text("document")])
        case .text(let kind): FlatJSON(["job": .text("text"), "kind": .text(kind.rawValue)])
        case .variant(let request):
            FlatJSON([
                "job": .text("variant"), "width": .number(request.width), "height": .number(request.height),
                "fit": .text(request.fit.rawValue), "format": .text(request.format.rawValue), "quality": .number(request.quality),
            ])
        }
    }

    /// - Parameter isQuick: whether the worker refuses a file whose header says that reading or decoding it takes long.
    package func frame(isQuick: Bool) -> FlatJSON {
        var frame: FlatJSON = self.frame
        if isQuick { frame.members["quick"] = .truth(true) }
        return frame
    }

    /// The argument with which `frame(isQuick:)` made this frame.
    package static func isQuick(_ frame: FlatJSON) -> Bool { frame.truth("quick") ?? false }

    package init?(_ frame: FlatJSON) {
        switch frame.text("job") {
        case "inspect": self = .inspect
        case "film": self = .film
        case "sound": self = .sound
        case "strip": self = .strip
        case "measure": self = .measure
        case "document": self = .document
        case "text":
            guard let kind = frame.text("kind").flatMap(DocumentKind.init) else { return nil }
            self = .text(kind)
        case "variant":
            guard let width = frame.number("width"), let height = frame.number("height"), let quality = frame.number("quality"),
                let fit = frame.text("fit").flatMap(VariantRequest.Fit.init),
                let format = frame.text("format").flatMap(VariantRequest.Format.init)
            else { return nil }
            let request = VariantRequest(width: width, height: height, fit: fit, format: format, quality: quality)
            guard request.isValid else { return nil }
            self = .variant(request)
        default: return nil
        }
    }
}
