package import Database

extension SearchFeature {
    package static var personalTables: [PersonalTable] {
        [
            PersonalTable(
                "search_document", owner: .column("owner"), order: ["kind", "id"],
                columns: [
                    .plain("kind"), .plain("id"), .time("at"), .json("texts"), .withheld("number"), .withheld("owner"), .withheld("place"),
                    .withheld("tokens"), .withheld("lexemes"),
                ],
                ending: .batches),
            PersonalTable(
                "search_head", owner: .row("number", of: "search_document", key: "number", owner: "owner"), order: ["number"],
                columns: [.withheld("number"), .withheld("head")], ending: .cascade(from: "search_document")),
        ]
    }

    package func erase(_ account: String, limit: Int, _ tx: WriteTransaction) throws -> Int {
        let erased = try SearchIndex().erase(account, limit: limit, tx)
        // The database deletes documents together with other rows (by cascade), but their index entries remain until a sweep removes them.
        return try erased > 0 ? erased : SearchIndex().sweep(tx)
    }

    /// The full-text tables. The database engine must scrub them in addition to the rows.
    package static var tokenTables: [TokenTable] { [SearchIndex.words] }
}
