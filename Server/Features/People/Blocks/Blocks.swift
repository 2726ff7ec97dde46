import Core
import Database
import FeatureKit
import KeepsakeWire
import Web

/// Blocks: a block hides two people from each other. The directory makes the table, because its conditions read the table in every list.
struct Blocks: PeoplePart {
    let store: BlockStore
    private let cursors: Cursors

    init(_ context: FeatureContext, friends: Friends) {
        store = BlockStore(database: context.database, friends: friends.store, identifiers: context.identifiers)
        cursors = context.cursors
    }

    static var migrations: [Migration] { BlockMigrations.all }

    static var personalTables: [PersonalTable] {
        [
            PersonalTable(
                "block", owner: .column("blocker"), order: ["created_at", "id"],
                columns: [.plain("id"), .plain("blocked"), .plain("name"), .time("created_at"), .withheld("blocker")], ending: .batches)
        ]
    }

    static var surfaces: [PathSurface] { ["/block", "/unblock", "/blocks"].map { PathSurface($0, .coves) } }

    func addRoutes(to routes: Routes) {
        routes.serve(FriendEndpoints.block, BlockPerson(store: store).handle)
        routes.serve(FriendEndpoints.unblock, UnblockPerson(store: store).handle)
        routes.serve(FriendEndpoints.blocks, ListBlocks(store: store, cursors: cursors).handle)
    }

    func erase(_ account: String, limit: Int, _ tx: WriteTransaction) throws -> Int {
        try store.eraseSome(of: account, limit: limit, tx)
    }
}
