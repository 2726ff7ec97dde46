/// Identifies an entry of an owner.
package struct EntryName: Hashable, Sendable {
    package let kind: String
    package let id: String

    package init(kind: String, id: String) {
        self.kind = kind
        self.id = id
    }

    init(_ hit: SearchHit) { self.init(kind: hit.kind, id: hit.id) }
}
