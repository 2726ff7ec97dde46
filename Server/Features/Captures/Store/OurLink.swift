import Foundation

/// A link of ours to a file, identified by its path alone: its host, signature and expiry do not matter.
enum OurLink: Sendable, Equatable {
    /// What was uploaded for a capture.
    case upload(owner: String, capture: String, kind: CaptureFileRow.Kind)
    /// A file of the library.
    case file(owner: String, id: String)

    init?(_ url: String) {
        guard let segments = Self.segments(url) else { return nil }
        switch segments.count {
        case 5 where segments[0] == "raw-media" && segments[2] == "memories":
            let stem = segments[4].split(separator: ".", omittingEmptySubsequences: false).first.map(String.init) ?? ""
            guard let kind = CaptureFileRow.Kind(rawValue: stem), CaptureRules.isID(segments[3]) else { return nil }
            self = .upload(owner: segments[1], capture: segments[3], kind: kind)
        case 7 where segments[..<3] == ["api", "users", "user"] && segments[4] == "multimedia" && segments[5] == "files":
            self = .file(owner: segments[3], id: segments[6])
        default: return nil
        }
    }

    /// Returns the same text for two of this server's links to one file. Returns any other URL unchanged.
    static func canonical(_ url: String) -> String {
        switch OurLink(url) {
        case .upload(let owner, let capture, let kind): "upload \(owner) \(capture) \(kind.rawValue)"
        case .file(let owner, let id): "file \(owner) \(id)"
        case nil: url
        }
    }

    /// The path's segments, without percent-encoding; `nil` for a text that is not an absolute http or https URL.
    private static func segments(_ url: String) -> [String]? {
        guard let scheme = ["https://", "http://"].first(where: { url.hasPrefix($0) }) else { return nil }
        let rest = url.dropFirst(scheme.count)
        let path = rest[(rest.firstIndex(of: "/") ?? rest.endIndex)...].prefix { $0 != "?" && $0 != "#" }
        guard path.utf8.count <= 1_024 else { return nil }
        let segments = path.dropFirst().split(separator: "/", omittingEmptySubsequences: false).map { String($0).removingPercentEncoding }
        let whole = segments.compactMap { $0 }
        return whole.count == segments.count ? whole : nil
    }
}
