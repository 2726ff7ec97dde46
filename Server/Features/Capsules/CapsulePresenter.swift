import Core
import Database
import FeatureKit
import Foundation
import KeepsakeWire
import Media
import Web

/// Renders capsules as surface 4's JSON.
struct CapsulePresenter: Sendable {
    let library: MediaLibrary

    func capsule(_ capsule: StoredCapsule, _ transcript: StoredTranscript?) -> Capsule {
        Capsule(
            id: capsule.id, userId: capsule.owner, audioURL: capsule.media.map { library.link($0, owner: capsule.owner) },
            transcription: transcript?.text, duration: Double(capsule.duration) / 1_000_000, fileSize: capsule.byteCount,
            createdAt: Self.date(capsule.createdAt), updatedAt: Self.date(capsule.updatedAt), status: capsule.status,
            metadata: metadata(capsule, transcript))
    }

    func transcription(_ capsule: StoredCapsule, _ transcript: StoredTranscript?) -> CapsuleTranscription {
        CapsuleTranscription(
            capsuleId: capsule.id, status: capsule.status, transcription: transcript?.text, language: capsule.language,
            engine: capsule.engine, words: transcript?.words ?? [])
    }

    func entry(_ capsule: StoredCapsule, _ transcript: StoredTranscript?) -> EntryKind.Entry {
        EntryKind.Entry(
            position: EntryKind.Position(at: capsule.createdAt, id: capsule.id),
            item: TimelineItem(capsule: self.capsule(capsule, transcript)))
    }

    private func metadata(_ capsule: StoredCapsule, _ transcript: StoredTranscript?) -> CapsuleMetadata? {
        guard let engine = capsule.engine else { return nil }
        return CapsuleMetadata(
            waveform: (capsule.waveform ?? []).map { (Double($0) / 255 * 1_000).rounded() / 1_000 }, language: capsule.language,
            words: transcript?.words ?? [], topics: capsule.topics, summary: capsule.summary, engine: engine)
    }

    private static func date(_ time: Timestamp) -> Date { Date(timeIntervalSince1970: Double(time.microseconds) / 1_000_000) }
}
