/// The resources that all clients of a server share. `clients/greedy.py` takes all it can get of one, with one account or network, or with
/// two networks for password hashes.
enum GreedyResource: String, CaseIterable {
    case places, forms, bodies, downloads, streams, staged, worker, hashes, search, exports, writes, connections
    /// All of the above at once, each taken by another account.
    case everything

    var title: String {
        switch self {
        case .places: "request places: unfinished PUTs of one account"
        case .forms: "uploads: unfinished forms over HTTP/2"
        case .bodies: "bodies in flight: unfinished JSON"
        case .downloads: "answers in flight: unread downloads, HTTP/1.1, by a signed link"
        case .streams: "answers in flight: HTTP/2, windows of 0, by a signed link"
        case .staged: "staged bytes: unfinished files beyond the quota"
        case .worker: "the media worker's time: copies nobody waits for"
        case .hashes: "password hashes: parallel sign-ins of two networks"
        case .search: "search time: long notes, one letter"
        case .exports: "export turns: readers at 300 bytes a second"
        case .writes: "the database's threads and write lock: rewrites and deletions"
        case .connections: "sockets and descriptors: connections, WebSockets, long polls"
        case .everything: "everything at once"
        }
    }

    /// The operation of the control client, whose account and network also take the resource: it must be refused or slow. If it is
    /// neither, the attack takes nothing, and the good results of the victims prove nothing.
    var controlOperation: String? {
        switch self {
        case .places, .forms: "upload"
        case .staged: "film"
        case .bodies, .writes: "patch"
        case .downloads, .streams: "download"
        case .hashes: "signin"
        case .search: "search"
        case .exports: "export"
        case .connections: "connect"
        // Uploads take precedence over image variants for everybody, so no upload is delayed.
        case .worker, .everything: nil
        }
    }

    /// Whether the control must fail in the small form too. On a busy machine, the small form is too short to fill the other resources.
    var isControlQuick: Bool { [.places, .forms, .bodies, .streams, .exports].contains(self) }

    /// The number of accounts that the attack uses.
    var accountCount: Int {
        switch self {
        case .exports: 2
        default: 1
        }
    }

    /// Whether the attack exhausts its accounts' rate limits. Each attempt then needs other accounts.
    var spendsItsAccounts: Bool { [.forms, .hashes, .writes].contains(self) }

    /// The number of networks that the attack uses: a connection limit applies to each of them, an account's share to all together.
    var networkCount: Int {
        switch self {
        case .places: 4
        case .bodies: 5
        case .hashes: 2
        default: 1
        }
    }

    /// The operations of the victims.
    static let victims = ["me", "upload", "search", "signin", "download", "connect"]

    var victimOperations: [String] { self == .exports ? Self.victims + ["export"] : Self.victims }
}
