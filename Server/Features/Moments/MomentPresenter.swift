import Core
import Database
import FeatureKit
import KeepsakeWire
import Media
import Web

/// Renders one owner's moments as surface 0's JSON.
struct MomentPresenter: Sendable {
    /// Makes the links to the files.
    let links: LinkSeries

    func mood(_ moment: Moment) -> MoodData {
        MoodData(
            id: moment.id, mood: moment.mood ?? "", note: moment.note, voiceNote: voice(moment), voiceNoteDuration: duration(moment),
            reason: moment.reason, tags: moment.tags, interests: moment.interests, moodIntensity: moment.intensity,
            createdAt: Int(moment.createdAt.milliseconds), imageUrls: pictures(moment), category: moment.category, groupId: moment.groupID,
            files: files(moment))
    }

    func memory(_ moment: Moment) -> MemoryData {
        MemoryData(
            id: moment.id, title: moment.title ?? "", description: moment.note, location: moment.location, tags: moment.tags,
            createdAt: Int(moment.createdAt.milliseconds), imageUrls: pictures(moment), voiceNote: voice(moment),
            voiceNoteDuration: duration(moment), category: moment.category, groupId: moment.groupID,
            files: files(moment))
    }

    func event(_ moment: Moment) -> EventData {
        EventData(
            id: moment.id, title: moment.title ?? "", description: moment.note,
            date: WireDate.format(microseconds: moment.happenedAt.microseconds, .milliseconds), location: moment.location,
            tags: moment.tags, createdAt: Int(moment.createdAt.milliseconds), imageUrls: pictures(moment), voiceNote: voice(moment),
            voiceNoteDuration: duration(moment), category: moment.category, groupId: moment.groupID,
            files: files(moment))
    }

    func entry(_ moment: Moment) -> EntryKind.Entry {
        EntryKind.Entry(position: moment.timelineKey, kind: moment.kind.rawValue, byteCount: moment.byteCount) {
            switch moment.kind {
            case .mood: TimelineItem(mood: mood(moment))
            case .memory: TimelineItem(memory: memory(moment))
            case .event: TimelineItem(event: event(moment), at: Int(moment.happenedAt.milliseconds))
            }
        }
    }

    private func pictures(_ moment: Moment) -> [String] { moment.pictures.map(links.link) }

    private func files(_ moment: Moment) -> [EntryFile]? { moment.knownFiles?.map { EntryFile(id: $0.id, type: $0.type) } }

    private func voice(_ moment: Moment) -> String? { moment.voice.map(links.link) }

    private func duration(_ moment: Moment) -> Double? {
        moment.voice == nil ? nil : moment.voiceMilliseconds.map { Double($0) / 1_000 }
    }
}
