import Core
import Foundation
import KeepsakeWire
import Web

/// Renders assets as surface 0's JSON.
struct MediaPresenter: Sendable {
    let links: SignedLinks

    func link(_ asset: Asset) -> String { link(asset.id, owner: asset.owner) }

    func link(_ id: String, owner: String) -> String { links.signed(folder(of: owner) + id) }

    /// Makes links for a page of files. Computes the owner's part of the links only once.
    func series(of owner: String) -> LinkSeries { links.series(in: folder(of: owner)) }

    private func file(_ asset: Asset) -> FileData {
        FileData(
            url: link(asset), appUrl: links.absolute(folder(of: asset.owner) + asset.id), name: asset.name, size: Int(asset.byteCount),
            type: asset.type,
            fileId: asset.id, width: asset.width, height: asset.height,
            duration: asset.durationMilliseconds.map { Double($0) / 1_000 })
    }

    func item(_ asset: Asset) -> MediaItem {
        MediaItem(
            file: file(asset), takenAt: asset.takenAt.map { Int($0.milliseconds) }, category: asset.category, title: asset.title,
            description: asset.description, tags: asset.tags,
            groupId: asset.groupID, createdAt: Int(asset.createdAt.milliseconds))
    }

    /// The link under which others see a picture; see `ServeSharedFile`.
    func sharedLink(_ id: String, owner: String) -> String { links.signed(folder(of: owner, named: "shared") + id) }

    /// Makes shared links for a list of one owner's pictures.
    func sharedSeries(of owner: String) -> LinkSeries { links.series(in: folder(of: owner, named: "shared")) }

    /// The link under which a browser downloads an archive of selected files.
    func archiveLink(_ id: String, owner: String) -> String { links.signed(folder(of: owner, named: "archives") + id) }

    private func folder(of owner: String, named name: String = "files") -> String {
        // An account id of an external issuer may hold any character. An asset id is a UUID, so it needs no percent-encoding.
        "/api/users/user/" + PercentEncoding.encode(owner) + "/multimedia/" + name + "/"
    }
}
