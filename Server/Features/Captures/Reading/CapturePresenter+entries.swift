import Core
import Database
import FeatureKit
import Foundation
import Intelligence
import KeepsakeWire

extension CapturePresenter {
    /// For the timeline and for search results.
    func entry(_ whole: CaptureStore.Whole) -> EntryKind.Entry {
        let capture = capture(whole)
        let encoder = Surface.captures.makeEncoder()
        let json = (try? encoder.encode(capture)).flatMap { try? JSONDecoder().decode(JSONValue.self, from: $0) } ?? .null
        return EntryKind.Entry(
            position: EntryKind.Position(at: whole.capture.at, id: whole.capture.id),
            item: TimelineItem(kind: StoredCapture.kind, at: Int(whole.capture.at.milliseconds), entry: json))
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
