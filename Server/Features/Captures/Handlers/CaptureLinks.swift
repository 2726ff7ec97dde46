import Core
import KeepsakeWire
import Media
import Web

/// Makes links to the files of captures: `/raw-media/{user}/memories/{capture}/photo.jpg`.
struct CaptureLinks: Sendable {
    let links: SignedLinks
    let library: MediaLibrary

    /// - Parameters:
    ///   - owner: an account id of an external issuer may hold any character, so it is percent-encoded.
    ///   - media: the file's id in the library. A second upload, which replaces the file under its path, has another id.
    func upload(owner: String, capture: String, kind: CaptureFileRow.Kind, type: MediaType?, media: String) -> String {
        let folder = "/raw-media/\(PercentEncoding.encode(owner))/memories/\(capture)"
        return links.signed("\(folder)/\(kind.rawValue).\(type?.fileExtension ?? "bin")", version: media)
    }

    /// The URL that a capture shows: of the file that was uploaded for it, else of the library's file that it names, else the URL that it
    /// names.
    func url(_ kind: CaptureFileRow.Kind, of whole: CaptureStore.Whole) -> String? {
        let (capture, files) = whole
        return url(kind, of: capture.id, owner: capture.owner, files, otherwise: kind == .photo ? capture.photo : capture.audio)
    }

    func url(of face: CaptureStore.Face) -> String? {
        url(.photo, of: face.capture, owner: face.owner, face.files, otherwise: face.photo)
    }

    private func url(
        _ kind: CaptureFileRow.Kind, of capture: String, owner: String, _ files: [CaptureFileRow], otherwise link: CaptureLink
    ) -> String? {
        if let file = files.first(where: { $0.kind == kind }) {
            return upload(owner: owner, capture: capture, kind: kind, type: MediaType(rawValue: file.type), media: file.media)
        }
        return link.media.map { library.link($0, owner: owner) } ?? link.url
    }
}

/// Renders captures, contacts and summaries as surface 3's JSON.
struct CapturePresenter: Sendable {
    let links: CaptureLinks

    func capture(_ whole: CaptureStore.Whole) -> Capture {
        let row = whole.capture
        return Capture(
            id: row.id, timestamp: row.at.date, photoURL: links.url(.photo, of: whole), audioURL: links.url(.audio, of: whole),
            transcription: row.transcription, transcriptionEngine: row.transcription == nil ? nil : row.transcriptionEngine,
            status: row.status, analysis: row.analysis.map(CaptureAnalysisData.init), error: row.error, createdAt: row.createdAt.date)
    }

    func contact(_ shown: CaptureStore.ShownContact) -> KnownContact {
        let contact = shown.contact
        return KnownContact(
            id: contact.id, name: contact.name, relationship: contact.relationship, notes: contact.notes,
            bestFacePhotoURL: shown.face.flatMap { links.url(of: $0) }, firstSeen: contact.firstSeen.date,
            lastSeen: contact.lastSeen.date, mentionCount: Int(contact.mentionCount))
    }
}
