/// What all who use a server share, and `clients/greedy.py` takes all it can get of: one account or one network, or two networks for
/// password hashes.
enum GreedyResource: String, CaseIterable {
    case places, forms, bodies, downloads, streams, staged, worker, hashes, search, exports, writes, connections
    /// All of the above at once, each by another account.
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

    /// What the campaign's control does: an account and network that also holds all it can get of the resource must be refused, or wait.
    /// Where it is neither, the attack takes nothing, and that others are well proves nothing.
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
        // Uploads go before copies for everybody, so nobody's upload is hurt.
        case .worker, .everything: nil
        }
    }

    /// Whether the control must fail in the small form, too. The others take longer to fill than it lasts when the machine is busy.
    var isControlQuick: Bool { [.places, .forms, .bodies, .streams, .exports].contains(self) }

    /// How many accounts it takes.
    var accountCount: Int {
        switch self {
        case .exports: 2
        default: 1
        }
    }

    /// Whether it spends its accounts' rate limits: then each attempt at measuring it needs others.
    var spendsItsAccounts: Bool { [.forms, .hashes, .writes].contains(self) }

    /// How many networks it takes: a connection limit holds for each of them, a share of an account for all together.
    var networkCount: Int {
        switch self {
        case .places: 4
        case .bodies: 5
        case .hashes: 2
        default: 1
        }
    }

    /// What the victims do.
    static let victims = ["me", "upload", "search", "signin", "download", "connect"]

    var victimOperations: [String] { self == .exports ? Self.victims + ["export"] : Self.victims }
}
