import Core
import KeepsakeWire
import MediaFrames

/// The size, fit, format and quality of a variant. Sides and qualities are rounded up to a fixed set, so that few variants are made and
/// arbitrary numbers in requests cannot fill the disk.
struct VariantSpec: Sendable, Equatable {
    /// Pixels; a requested side is rounded up to the next of these.
    static let sides = [64, 128, 256, 384, 512, 768, 1024, 1536, 2048]
    static let qualities = [50, 65, 80, 95]
    /// The most variants that are kept of one original; one more evicts the oldest.
    static let maxCount = 32

    let request: VariantRequest
    /// Whether the request's `Accept` header chose the format, so that caches must vary by it.
    let dependsOnAccept: Bool

    /// Identifies the variant among those of its original.
    var name: String {
        "\(request.width)x\(request.height)-\(request.fit.rawValue)-\(request.format.rawValue)-\(request.quality)"
    }

    var type: String { "image/\(request.format.rawValue)" }
    var fileExtension: String { request.format == .jpeg ? "jpg" : request.format.rawValue }

    /// - Parameter accept: the request's `Accept` header.
    /// - Returns: `nil` when the request asks for the original.
    /// - Throws: `.invalid`, naming the parameter.
    init?(_ input: FileInput, accept: String?) throws {
        guard input.w != nil || input.h != nil || input.fit != nil || input.format != nil || input.q != nil else { return nil }
        let fit = try Self.choice(input.fit, "fit", VariantRequest.Fit.allCases) ?? .contain
        let width = try Self.side(input.w, "w")
        let height = try Self.side(input.h, "h")
        guard width != nil || height != nil else { throw Problem(.invalid, "w or h is needed, in pixels.", field: "w") }
        if fit == .cover, width == nil || height == nil {
            throw Problem(.invalid, "cover needs both w and h.", field: width == nil ? "w" : "h")
        }
        dependsOnAccept = (input.format ?? "auto") == "auto"
        let format =
            dependsOnAccept
            ? Self.accepts(accept, "image/webp") ? .webp : .jpeg
            : try Self.choice(input.format, "format", VariantRequest.Format.allCases) ?? .jpeg
        guard (1...100).contains(input.q ?? 80) else { throw Problem(.invalid, "q must be 1…100.", field: "q") }
        request = VariantRequest(
            width: width ?? PictureLimits.variantSide, height: height ?? PictureLimits.variantSide, fit: fit, format: format,
            quality: Self.qualities.first { $0 >= input.q ?? 80 } ?? Self.qualities.last!)
    }

    private static func side(_ asked: Int?, _ field: String) throws -> Int? {
        guard let asked else { return nil }
        guard (1...sides.last!).contains(asked) else { throw Problem(.invalid, "\(field) must be 1…\(sides.last!) pixels.", field: field) }
        return sides.first { $0 >= asked }
    }

    private static func choice<Choice: RawRepresentable<String>>(
        _ text: String?, _ field: String, _ choices: [Choice]
    ) throws -> Choice? {
        guard let text else { return nil }
        guard let choice = Choice(rawValue: text) else {
            let known = choices.map(\.rawValue).joined(separator: ", ")
            throw Problem(.invalid, "\(field) must be one of \(known).", field: field)
        }
        return choice
    }

    /// Whether the header names the type itself without `q=0` (RFC 9110 §12.5.1). `*/*` does not count: clients that cannot decode WebP
    /// send it.
    private static func accepts(_ accept: String?, _ type: String) -> Bool {
        (accept ?? "").lowercased().split(separator: ",").contains { range in
            let parts = range.split(separator: ";").map { $0.filter { $0 != " " } }
            guard parts.first == type else { return false }
            return !parts.dropFirst().contains { $0.hasPrefix("q=") && Double($0.dropFirst(2)) == 0 }
        }
    }
}
