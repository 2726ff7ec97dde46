import Search

extension Moment {
    /// The texts that a search reads, the most relevant field first.
    var document: SearchDocument {
        SearchDocument(
            kind: kind.rawValue, id: id, owner: owner, at: happenedAt,
            texts: [
                (kind == .mood ? "mood" : "title", mood ?? title), (kind == .mood ? "note" : "description", note), ("reason", reason),
                ("tags", tags.joined(separator: ", ")), ("interests", interests.joined(separator: ", ")), ("location", location),
            ])
    }
}
