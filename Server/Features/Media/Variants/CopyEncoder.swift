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
        try await withOriginal(asset, isLong: workers.inspectionsAreLong) { try await workers.inspect($0).mayHavePosition }
    }

    /// Reads the codecs of a film; `nil` when it names none.
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

    /// The same for the current requester, whose pictures may have been slow before.
    private func isLongForRequester(_ asset: Asset, _ spec: CopySpec) -> Bool {
        Self.isLong(asset, spec) || workers.copiesAreLong || spec == .stripped && workers.inspectionsAreLong
    }

    /// 0 when it is unknown.
    private static func pixelCount(of asset: Asset) -> Int { (asset.width ?? 0) * (asset.height ?? 0) }

    private func encode(_ asset: Asset, _ spec: CopySpec, _ descriptor: CInt) async throws -> EncodedCopy {
        let pixelCount = Self.pixelCount(of: asset)
        switch (spec, MediaType(rawValue: asset.type)?.kind) {
        case (.smaller(let spec), .image):
            return EncodedCopy(
                bytes: try await workers.variant(descriptor, spec.request, pixelCount: pixelCount).bytes, type: spec.type)
        case (.smaller(let spec), .video):
            return EncodedCopy(bytes: try await workers.variant(ofFilm: descriptor, spec.request).bytes, type: spec.type)
        case (.stripped, .image): return try await stripped(asset, descriptor, pixelCount)
        case (.smaller, _): throw Problem(.unprocessable, "There is no picture of this file.")
        case (.stripped, _): throw Problem.noSuchFile
        }
    }

    /// The file without its metadata. If it is not certain that all of it can be removed, the whole picture is encoded again: upright, in
    /// sRGB.
    private func stripped(_ asset: Asset, _ descriptor: CInt, _ pixelCount: Int) async throws -> EncodedCopy {
        do {
            return EncodedCopy(bytes: try await workers.strip(descriptor), type: asset.type)
        } catch MediaFailure.refused {
            // WebP keeps transparency. HEIC and JPEG have none that is shown.
            let format: VariantRequest.Format = [.png, .webp, .gif].contains(MediaType(rawValue: asset.type)) ? .webp : .jpeg
            let request = VariantRequest(width: PictureLimits.variantSide, height: PictureLimits.variantSide, format: format, quality: 95)
            let whole = try await workers.variant(descriptor, request, pixelCount: pixelCount)
            return EncodedCopy(bytes: whole.bytes, type: "image/\(format.rawValue)")
        }
    }

    private func withOriginal<Value>(
        _ asset: Asset, isLong: Bool = false, _ body: (CInt) async throws -> Value
    ) async throws -> Value {
        try await files.withFile(of: asset.blob, in: blobs, isLong: isLong, body)
    }
}
