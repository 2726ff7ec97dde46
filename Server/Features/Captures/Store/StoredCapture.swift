import Core
import Database
import Foundation
import Intelligence
import KeepsakeWire
import Media
import Search

/// One row of `capture`.
struct StoredCapture: Sendable, Equatable {
    /// The kind of captures on the timeline, in search results and in stored responses.
    static let kind = "capture"

    let owner: String
    let id: String
    let at: Timestamp
    let hour: CaptureHour
    var status: CaptureStatus
    var photo: CaptureLink
    var audio: CaptureLink
    /// SHA-256 of the transcription that the client sent; `nil` when it sent none.
    var sent: String?
    var transcription: String?
    /// `client`, `user`, or an engine's name; `off` or `none` when an engine found nothing.
    var transcriptionEngine: String?
    /// JSON of a `CaptureAnalysis`.
    var analysisText: String?
    var error: String?
    /// Counts the changes of what is analysed.
    var version: Int64
    let createdAt: Timestamp
    /// Bytes that the row counts against the quota.
    var rowBytes: Int64

    var analysis: CaptureAnalysis? {
        get { analysisText.flatMap { try? JSONDecoder().decode(CaptureAnalysis.self, from: Data($0.utf8)) } }
        set { analysisText = newValue.flatMap(Self.text) }
    }

    private static func text(_ analysis: CaptureAnalysis) -> String? {
        let encoder = JSONEncoder.withSortedKeys()
        return (try? encoder.encode(analysis)).map { String(decoding: $0, as: UTF8.self) }
    }

    /// The bytes that the row counts against its owner's quota, with its words in the index and what a summary repeats of it.
    var countedBytes: Int64 {
        let analysis = analysis
        return RowBytes.count(
            searchable: [transcription, analysis?.imageText], tags: [], plain: [id, photo.url, audio.url, analysisText, error])
    }

    /// The approximate length of its texts, in bytes, as lists measure it.
    var textByteCount: Int64 { max(0, (rowBytes - RowBytes.row) / RowBytes.searchable) }

    /// The texts of a capture that has no analysis.
    static func texts(of transcription: String?) -> [SearchDocument.Text] {
        guard let transcription, !transcription.isEmpty else { return [] }
        return [SearchDocument.Text(field: "transcript", text: transcription)]
    }

    func document(_ analysis: CaptureAnalysis?) -> SearchDocument {
        SearchDocument(
            kind: Self.kind, id: id, owner: owner, at: at,
            texts: [
                ("transcript", transcription), ("description", analysis?.imageText), ("location", analysis?.location),
                ("tags", analysis.map { $0.themes.joined(separator: ", ") }),
                ("name", analysis.map { $0.mentionedNames.joined(separator: ", ") }), ("mood", analysis?.mood),
            ])
    }
}

/// The photo or the recording that a capture names.
struct CaptureLink: Sendable, Equatable {
    /// A file of the library.
    var media: String?
    /// As the client sent it.
    var url: String?
}

extension StoredCapture: TableRow {
    static let table = Table<StoredCapture>("capture")

    init(_ row: inout RowReader, writing capture: StoredCapture?) throws {
        owner = try row.next("owner", capture?.owner)
        id = try row.next("id", capture?.id)
        at = try row.next("at", capture?.at)
        hour = CaptureHour(
            zone: try row.next("zone", capture?.hour.zone), day: try row.next("day", capture?.hour.day),
            hour: try row.next("hour", capture?.hour.hour), start: try row.next("hour_start", capture?.hour.start))
        status = try row.next("status", capture?.status)
        photo = CaptureLink(
            media: try row.next("photo_media", capture?.photo.media), url: try row.next("photo_url", capture?.photo.url))
        audio = CaptureLink(
            media: try row.next("audio_media", capture?.audio.media), url: try row.next("audio_url", capture?.audio.url))
        sent = try row.next("sent", capture?.sent)
        transcription = try row.next("transcription", capture?.transcription)
        transcriptionEngine = try row.next("transcription_engine", capture?.transcriptionEngine)
        analysisText = try row.next("analysis", capture?.analysisText)
        error = try row.next("error", capture?.error)
        version = try row.next("version", capture?.version)
        createdAt = try row.next("created_at", capture?.createdAt)
        rowBytes = try row.next("row_bytes", capture?.rowBytes)
    }
}

/// A file that was uploaded for a capture.
struct CaptureFileRow: Sendable, Equatable {
    enum Kind: String, Sendable, CaseIterable { case photo, audio }

    let owner: String
    let capture: String
    let kind: Kind
    let media: String
    /// The media type, for example `image/jpeg`.
    let type: String
}

extension CaptureFileRow: TableRow {
    static let table = Table<CaptureFileRow>("capture_file")

    init(_ row: inout RowReader, writing file: CaptureFileRow?) throws {
        owner = try row.next("owner", file?.owner)
        capture = try row.next("capture", file?.capture)
        kind = try row.next("kind", file?.kind)
        media = try row.next("media", file?.media)
        type = try row.next("type", file?.type)
    }
}
