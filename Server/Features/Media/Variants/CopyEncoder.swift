import Blobs
import Core
import MediaFrames
import MediaTools

/// Passes originals to the media workers.
struct CopyEncoder: Sendable {
    let blobs: any BlobStore
    let files: BlobFiles
    let workers: MediaWorkers

    /// - Throws: as `VariantMaker.variant`.
    func encode(_ asset: Asset, _ spec: CopySpec) async throws -> EncodedCopy {
        do {
            return try await withOriginal(asset, isLong: isLongForRequester(asset, spec)) { try await encode(asset, spec, $0) }
        } catch let failure as MediaFailure {
            throw spec == .stripped ? Problem.noSuchFile : Problem(.unprocessable, failure.sentence)
        }
    }

    /// Looks for a position in a picture.
    /// - Throws: `MediaFailure` when it cannot be decoded.
    func mayHavePosition(_ asset: Asset) async throws -> Bool {
        try await withOriginal(asset, isLong: workers.inspectionsAreLong(of: Self.file(asset))) {
            try await workers.inspect($0, of: Self.file(asset)).mayHavePosition
        }
    }

    /// Whether browsers play the film's codecs; `nil` when the film names none.
    /// - Throws: `MediaFailure` when it cannot be read.
    func playsInBrowsers(_ asset: Asset) async throws -> Bool? {
        try await withOriginal(asset, isLong: true) { try await workers.videoFacts($0).playsInBrowsers }
    }

    /// Whether the copy occupies a media worker for seconds, or waits for a job that does.
    static func isLong(_ asset: Asset, _ spec: CopySpec) -> Bool {
        guard MediaType(rawValue: asset.type)?.kind == .image else { return true }
        return switch spec {
        case .smaller(let spec): MediaWorkers.isLong(spec.request.format, pixelCount: pixelCount(of: asset))
        case .stripped: MediaWorkers.isLong(.jpeg, pixelCount: pixelCount(of: asset))
        }
    }

    /// The largest expected size of a copy, in bytes; `Int.max` when it is unknown. JPEGs of noise need the most: about two
    /// bytes a pixel at the highest quality.
    static func mostByteCount(_ asset: Asset, _ spec: CopySpec) -> Int {
        switch (spec, MediaType(rawValue: asset.type)?.kind) {
        case (.smaller(let spec), .image): return 2 * pixelCount(of: spec.request, for: asset)
        // The film's boxes, from which its size is known, may lie about the size of its frames.
        case (.smaller(let spec), .video):
            return 2 * min(spec.request.width, MediaWorkers.firstFrameSide) * min(spec.request.height, MediaWorkers.firstFrameSide)
        case (.stripped, .image):
            // The picture is encoded again if it is not certain that all metadata can be removed.
            let pixels = pixelCount(of: asset)
            return pixels > 0 ? max(Int(clamping: asset.byteCount), 2 * pixels) : .max
        // There is no copy.
        default: return 0
        }
    }

    /// The most pixels that a smaller copy can have.
    private static func pixelCount(of request: VariantRequest, for asset: Asset) -> Int {
        guard let width = asset.width, let height = asset.height, width > 0, height > 0 else { return request.width * request.height }
        let box = request.box(forWidth: width, height: height)
        guard request.fit == .contain else { return box.width * box.height }
        let scale = min(Double(box.width) / Double(width), Double(box.height) / Double(height))
        return Int((Double(width) * scale).rounded()) * Int((Double(height) * scale).rounded())
    }

    private static func file(_ asset: Asset) -> OwnedFile { OwnedFile(owner: asset.owner, name: asset.blob.text) }

    /// Whether the copy counts as long work for the current requester. It also does if earlier work was slow.
    private func isLongForRequester(_ asset: Asset, _ spec: CopySpec) -> Bool {
        let file = Self.file(asset)
        return Self.isLong(asset, spec) || workers.copiesAreLong(of: file) || spec == .stripped && workers.inspectionsAreLong(of: file)
    }

    /// 0 when it is unknown.
    private static func pixelCount(of asset: Asset) -> Int { (asset.width ?? 0) * (asset.height ?? 0) }

    private func encode(_ asset: Asset, _ spec: CopySpec, _ descriptor: CInt) async throws -> EncodedCopy {
        let pixelCount = Self.pixelCount(of: asset)
        let file = Self.file(asset)
        let mayBeLarge = Self.mostByteCount(asset, spec) > MediaResult.copiedByteCount
        switch (spec, MediaType(rawValue: asset.type)?.kind) {
        case (.smaller(let spec), .image):
            let copy = try await workers.variant(descriptor, spec.request, pixelCount: pixelCount, mayBeLarge: mayBeLarge, of: file)
            return EncodedCopy(content: copy.content, type: spec.type)
        case (.smaller(let spec), .video):
            let copy = try await workers.variant(ofFilm: descriptor, spec.request, mayBeLarge: mayBeLarge, of: file)
            return EncodedCopy(content: copy.content, type: spec.type)
        case (.stripped, .image): return try await stripped(asset, descriptor, file, pixelCount, mayBeLarge)
        case (.smaller, _): throw Problem(.unprocessable, "There is no picture of this file.")
        case (.stripped, _): throw Problem.noSuchFile
        }
    }

    /// The file without its metadata. If it is not certain that all of it can be removed, the whole picture is encoded again: upright, in
    /// sRGB.
    private func stripped(
        _ asset: Asset, _ descriptor: CInt, _ file: OwnedFile, _ pixelCount: Int, _ mayBeLarge: Bool
    ) async throws -> EncodedCopy {
        do {
            return EncodedCopy(content: try await workers.strip(descriptor, mayBeLarge: mayBeLarge, of: file), type: asset.type)
        } catch MediaFailure.refused {
            // WebP keeps transparency. HEIC and JPEG show no transparency.
            let format: VariantRequest.Format = [.png, .webp, .gif].contains(MediaType(rawValue: asset.type)) ? .webp : .jpeg
            let request = VariantRequest(width: PictureLimits.variantSide, height: PictureLimits.variantSide, format: format, quality: 95)
            let whole = try await workers.variant(descriptor, request, pixelCount: pixelCount, mayBeLarge: mayBeLarge, of: file)
            return EncodedCopy(content: whole.content, type: "image/\(format.rawValue)")
        }
    }

    private func withOriginal<Value>(
        _ asset: Asset, isLong: Bool = false, _ body: (CInt) async throws -> Value
    ) async throws -> Value {
        try await files.withFile(of: asset.blob, in: blobs, isLong: isLong, body)
    }
}
