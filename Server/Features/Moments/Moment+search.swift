import Search

extension Moment {
    /// What it can be found by.
    var document: SearchDocument {
        SearchDocument(
            kind: kind.rawValue, id: id, owner: owner, at: happenedAt,
            texts: [
                (kind == .mood ? "mood" : "title", mood ?? title), (kind == .mood ? "note" : "description", note), ("reason", reason),
                ("tags", tags.joined(separator: ", ")), ("interests", interests.joined(separator: ", ")), ("location", location),
            ])
    }
}
