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
        // Documents deleted by cascade remain in the index until a sweep removes them.
        return try erased > 0 ? erased : SearchIndex().sweep(tx)
    }

    /// The full-text tables that the database engine scrubs in addition to the rows.
    package static var tokenTables: [TokenTable] { [SearchIndex.words] }
}
