import Blobs
import Core
import KeepsakeWire
import Web

/// `GET /api/users/user/{userId}/multimedia/files/{fileId}`: serves the original's bytes or a variant of it. Needs a credential or a signed
/// link.
struct ServeFile: Sendable {
    let files: LibraryFiles

    func handle(_ input: FileInput, _ context: WebContext) async throws -> ServedFile {
        guard let served = try await files.served(input, context) else { throw Problem.noSuchFile }
        return served
    }
}

/// `GET /api/users/user/{userId}/multimedia/shared/{fileId}`: serves a picture as other users may see it: the original if its metadata hold
/// no position, otherwise a copy without metadata. Other users get a profile picture in HEIC as JPEG. A link to this path cannot be changed
/// into one to the original, because the signature covers the path.
struct ServeSharedFile: Sendable {
    let store: MediaStore
    let files: StoredFiles

    /// The name under which a picture is served. The file's own name is only for its owner.
    private static let name = "picture"

    func handle(_ input: FileInput, _ context: WebContext) async throws -> ServedFile {
        let spec = try VariantSpec(input, accept: context.accept)
        let copy = spec.map { CopySpec.smaller($0) } ?? .stripped
        guard let (asset, kept, known) = try await store.shared(input.fileId, owner: input.userId, copy: copy.name),
            MediaType(rawValue: asset.type)?.kind == .image
        else { throw Problem.noSuchFile }
        // Smaller copies have no metadata.
        if let spec { return try await files.smaller(asset, kept, spec, named: Self.name, context) }
        if let jpeg = try await jpeg(insteadOf: asset) {
            let kept = try await store.served(asset.id, owner: asset.owner, copy: jpeg.name)?.1
            return try await files.smaller(asset, kept, jpeg, named: Self.name, context)
        }
        let mayHavePosition = if let known { known } else { try await files.mayHavePosition(asset, context) }
        guard mayHavePosition else { return files.original(asset, named: Self.name) }
        return try await files.stripped(asset, kept, named: Self.name, context)
    }

    /// Android and most browsers do not show HEIC, and a profile picture is shown to everybody.
    /// - Returns: the copy that is sent in place of a profile picture in HEIC; `nil` for any other picture.
    private func jpeg(insteadOf asset: Asset) async throws -> VariantSpec? {
        guard [.heic, .heif].contains(MediaType(rawValue: asset.type)), try await store.profilePicture(of: asset.owner)?.id == asset.id
        else { return nil }
        let side = VariantSpec.sides.last
        let size = FileInput(userId: asset.owner, fileId: asset.id, w: side, h: side, format: "jpeg", q: VariantSpec.qualities.last)
        return try VariantSpec(size, accept: nil)
    }
}

/// The files that the routes serve: the originals as they are, and their copies, which are made when they are first requested.
struct StoredFiles: Sendable {
    private let store: MediaStore
    private let blobs: any BlobStore
    private let variants: VariantMaker
    /// Whether clients read pictures, sounds and films from the object store itself.
    private let redirects: Bool
    /// Limits the requests that wait for a variant.
    private let waiting = SharedBudget(SharedBudget.Limits(total: 1_024, perAccount: 128, perNetwork: 256, reserve: 256, small: 16))

    init(store: MediaStore, blobs: any BlobStore, variants: VariantMaker, redirects: Bool) {
        self.store = store
        self.blobs = blobs
        self.variants = variants
        self.redirects = redirects
    }

    func original(_ asset: Asset, named name: String) -> ServedFile {
        ServedFile(
            byteCount: asset.byteCount, contentType: asset.type, fileName: name, sha256: asset.sha256, modifiedAt: asset.createdAt,
            presign: presign(asset.blob), isStored: isStored(asset),
            open: { [blobs] in try await blobs.openShared(asset.blob, byteCount: asset.byteCount) })
    }

    private func isStored(_ asset: Asset) -> @Sendable () async throws -> Bool {
        { [store, id = asset.id, owner = asset.owner] in try await store.served(id, owner: owner) != nil }
    }

    private func presign(_ blob: BlobKey) -> ServedFile.Presign? {
        guard redirects else { return nil }
        return { [blobs] contentType, disposition, life in
            try blobs.presignedLink(to: blob, contentType: contentType, disposition: disposition, for: life)
        }
    }

    /// - Parameters:
    ///   - kept: the stored copy; `nil` makes one now.
    ///   - name: the original's file name; the copy gets the extension of its format.
    func smaller(
        _ asset: Asset, _ kept: MediaVariant?, _ spec: VariantSpec, named name: String, _ context: WebContext
    ) async throws -> ServedFile {
        let made = try await made(asset, kept, .smaller(spec), context)
        return copy(made, of: asset, named: spec.fileName(for: name), dependsOnAccept: spec.dependsOnAccept)
    }

    /// The picture without its metadata.
    /// - Parameter kept: the stored copy; `nil` makes one now.
    func stripped(_ asset: Asset, _ kept: MediaVariant?, named name: String, _ context: WebContext) async throws -> ServedFile {
        copy(try await made(asset, kept, .stripped, context), of: asset, named: name, dependsOnAccept: false)
    }

    /// A film's stored copy for browsers.
    func film(_ kept: MediaVariant, of asset: Asset, named name: String) -> ServedFile {
        copy(.kept(kept), of: asset, named: FilmCopy.fileName(for: name), dependsOnAccept: false)
    }

    /// Finds out whether browsers can play a film, if the server does not know it yet.
    func playback(of asset: Asset, _ context: WebContext) async throws -> Playback {
        try await whileWaiting(context) { [variants] in try await variants.playback(of: asset) }
    }

    /// Whether the picture's metadata may hold a position. For a picture that was stored before the server looked for positions.
    func mayHavePosition(_ asset: Asset, _ context: WebContext) async throws -> Bool {
        try await whileWaiting(context) { [variants] in try await variants.mayHavePosition(asset) }
    }

    private func copy(_ made: MadeCopy, of asset: Asset, named name: String, dependsOnAccept: Bool) -> ServedFile {
        switch made {
        case .kept(let variant):
            ServedFile(
                byteCount: variant.byteCount, contentType: variant.type, fileName: name, sha256: variant.sha256,
                modifiedAt: variant.createdAt, dependsOnAccept: dependsOnAccept, presign: presign(variant.blob),
                isStored: isStored(asset),
                open: { [blobs] in try await blobs.openShared(variant.blob, byteCount: variant.byteCount) })
        case .fresh(let copy):
            ServedFile(
                byteCount: copy.blob.byteCount, contentType: copy.type, fileName: name, sha256: copy.blob.sha256,
                modifiedAt: copy.createdAt, dependsOnAccept: dependsOnAccept, isStored: isStored(asset), open: { copy.blob })
        }
    }

    private func made(_ asset: Asset, _ kept: MediaVariant?, _ spec: CopySpec, _ context: WebContext) async throws -> MadeCopy {
        if let kept { return .kept(kept) }
        return try await whileWaiting(context) { [variants] in try await variants.variant(of: asset, spec) }
    }

    /// Waits for the media worker. A client that disconnects stops waiting, and the work is cancelled when no client waits.
    private func whileWaiting<Value: Sendable>(
        _ context: WebContext, _ work: @escaping @Sendable () async throws -> Value
    ) async throws -> Value {
        let share = try wait(context.requester)
        defer { share.release() }
        do {
            return try await context.withoutSlot { try await context.whileClientIsPresent(work) }
        } catch is CancellationError {
            // The client has disconnected and reads no response; status 408 keeps this out of the error log.
            throw Problem(.timeout, "The client closed the request before the copy was made.")
        }
    }

    /// The worker's queue limits the variants. This limits the requests, since any number may wait for the same variant.
    private func wait(_ requester: Requester) throws -> SharedBudget.Share {
        do throws(SharedBudget.Refusal) {
            return try waiting.share(1, of: requester)
        } catch {
            switch error {
            case .total: throw Problem(.unavailable, "Too many requests wait for smaller copies. Try again later.", retryAfter: .seconds(5))
            case .account, .network:
                throw Problem(
                    .tooManyRequests, "Too many requests of your account or network wait for smaller copies. Try again later.",
                    retryAfter: .seconds(5))
            }
        }
    }
}

extension VariantSpec {
    fileprivate func fileName(for name: String) -> String { copyName(for: name, fileExtension) }
}

extension FilmCopy {
    fileprivate static func fileName(for name: String) -> String { copyName(for: name, "mp4") }
}

/// The original's name with the file extension of the copy.
private func copyName(for name: String, _ fileExtension: String) -> String {
    let stem = name.lastIndex(of: ".").map { name[..<$0] } ?? name[...]
    return "\(stem.isEmpty ? name[...] : stem).\(fileExtension)"
}
