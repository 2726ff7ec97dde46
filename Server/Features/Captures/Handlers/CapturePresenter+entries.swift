import Core
import Database
import FeatureKit
import Foundation
import Intelligence
import KeepsakeWire

extension CapturePresenter {
    /// Renders a capture for the timeline and for search results.
    func entry(_ whole: CaptureStore.Whole) -> EntryKind.Entry {
        let row = whole.capture
        return EntryKind.Entry(
            position: EntryKind.Position(at: row.at, id: row.id), kind: StoredCapture.kind, byteCount: row.textByteCount
        ) {
            TimelineItem(kind: StoredCapture.kind, at: Int(row.at.milliseconds), entry: json(whole))
        }
    }

    private func json(_ whole: CaptureStore.Whole) -> JSONValue {
        let json = try? Surface.captures.makeEncoder().encode(capture(whole))
        return json.flatMap { try? JSONDecoder().decode(JSONValue.self, from: $0) } ?? .null
    }
}

extension CaptureAnalysisData {
    init(_ analysis: CaptureAnalysis) {
        self.init(
            imageSummary: analysis.imageSummary, themes: analysis.themes, mood: analysis.mood, location: analysis.location,
            detectedFaces: analysis.detectedFaces.map {
                Face(description: $0.description, possibleName: $0.possibleName, confidence: $0.confidence)
            }, mentionedNames: analysis.mentionedNames, keyMoment: analysis.keyMoment, imageText: analysis.imageText, error: analysis.error,
            engine: analysis.engine)
    }
}
