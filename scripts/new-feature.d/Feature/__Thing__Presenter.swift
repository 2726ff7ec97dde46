import Core
import Database
import FeatureKit
import KeepsakeWire
import Media

/// Renders __things__ as surface 0's JSON.
struct __Thing__Presenter: Sendable {
    let library: MediaLibrary

    func data(_ __thing__: __Thing__) -> __Thing__Data {
        __Thing__Data(
            id: __thing__.id, title: __thing__.title, createdAt: Int(__thing__.createdAt.milliseconds),
            fileUrl: __thing__.file.map { library.link($0, owner: __thing__.owner) }, wordCount: __thing__.wordCount)
    }

    func entry(_ __thing__: __Thing__) -> EntryKind.Entry {
        let data = data(__thing__)
        var fields: [String: JSONValue] = [
            "id": .string(data.id), "title": .string(data.title), "createdAt": .integer(Int64(data.createdAt)),
        ]
        fields["fileUrl"] = data.fileUrl.map(JSONValue.string)
        fields["wordCount"] = data.wordCount.map { .integer(Int64($0)) }
        return EntryKind.Entry(
            position: EntryKind.Position(at: __thing__.createdAt, id: __thing__.id),
            item: TimelineItem(kind: __Thing__.kind, at: data.createdAt, entry: .object(fields)))
    }
}
