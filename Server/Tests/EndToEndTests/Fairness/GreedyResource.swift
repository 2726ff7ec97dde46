/// The resources that all clients of a server share. `clients/greedy.py` takes all it can get of one: with one account or network, with two
/// networks for password hashes, and with many accounts and networks for the resources that only the full form measures.
enum GreedyResource: String, CaseIterable {
    case places, forms, bodies, downloads, streams, staged, worker, hashes, search, exports, writes, connections
    // The resources that the third and the fourth attacker of `docs/results/016-second-attack.md` took. Captures come last, because the
    // server goes on analysing them for a while.
    case questions, conversations, chats, calendars, idle
    // What the twenty-second, the twenty-third and the twenty-fourth attacker took. `mostWait` limits the waits of the victims.
    case words, upcoming, memory, copies, repeats, inspections, profiles
    // Between two parts that take memory there is another one, because the process returns memory some seconds later.
    case halfclosed, links, multiplexed, prefixes, waiting, changes, messages
    // What the twenty-eighth and the thirty-first attacker took, with the same limits.
    case decoding, resets, archives, heads
    // What the thirty-second attacker took. `mostMedian` limits the waits of victims for the same kind of work.
    case escapes, papers, recordings
    case captures
    /// The resources of the first line at once, each taken by another account.
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
        case .questions: "questions: long entries, 20 accounts"
        case .conversations: "the write lock: deletions of long conversations"
        case .chats: "processor time: chat messages of 99,000 rare letters, 48 accounts"
        case .calendars: "processor time: 20 long calendars, 60 networks"
        case .idle: "connections: idle ones with TLS, 36 networks"
        case .words: "the index of words: moods of 10,000 rare letters, 24 accounts"
        case .upcoming: "the database's processors: the next events of 990 coves, 16 accounts"
        case .memory: "memory: long polls with unfinished bodies, HTTP/2 with windows of 0, and hashes, 52 accounts"
        case .copies: "the media worker's time: one slow copy each, 24 accounts"
        case .repeats: "the media worker's time: copies that are just not slow, 4 accounts"
        case .inspections: "the media worker's time: inspections of a third of a second, 4 accounts"
        case .profiles: "the media worker's time: a stranger's slow copies of victims' pictures, 8 accounts with long work"
        case .halfclosed: "memory: requests sent ahead that arrive when the client closes its sending side, 960 long polls"
        case .multiplexed: "memory: bodies over HTTP/2, unread lists and unfinished messages, 52 accounts"
        case .waiting: "memory: 512 uploads for which the budget for received bytes has no room, 24 accounts"
        case .messages: "the budget for received bytes: one byte of a message on each of 336 sockets"
        case .prefixes: "the threads for reads: a letter with which very many words begin, 4 accounts"
        case .changes: "the threads for reads: such a letter in entries that had few words at first, 4 accounts"
        case .links: "the media worker's time: slow copies by signed links, 10 accounts"
        case .decoding: "the threads for requests: JSON with thousands of nested values, 4 accounts"
        case .resets: "memory: responses of reset streams on HTTP/2 connections, unfinished JSON and unread lists, 48 accounts"
        case .archives: "the turns of archives: 32 exports at a time"
        case .heads: "event loops: refused requests with heads of 15 KB on 400 connections, without an account"
        case .escapes: "memory: pages of captures whose characters JSON escapes, beside reset streams and unfinished JSON, 48 accounts"
        case .papers: "the turns of documents: PDFs that take pdftotext more than 20 s, 8 accounts"
        case .recordings: "the media worker's time: recordings of 130 minutes, two at a time each, 4 accounts"
        case .captures: "processor time: captures of 60,000 rare letters, 30 accounts"
        case .everything: "everything at once"
        }
    }

    /// The operation of the control client, which uses the account and the network of the attack. The operation must be refused or slow. If
    /// it is neither, the attack takes nothing, and the good results of the victims prove nothing.
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
        // Many accounts take turns here, so a request of one of them may be quick. `leastEffect` shows instead that the attack takes
        // something.
        case .questions, .conversations, .chats, .calendars, .idle, .captures: nil
        case .words, .upcoming, .memory, .copies, .repeats, .inspections, .profiles: nil
        case .halfclosed, .multiplexed, .waiting, .messages, .prefixes, .changes, .links: nil
        case .decoding, .resets, .archives, .heads, .escapes, .papers, .recordings: nil
        }
    }

    /// The least that the attacker must have achieved in the full form, by its own count. `nil` if a control shows the effect.
    var leastEffect: (count: String, least: Int)? {
        switch self {
        case .questions: (count: "200", least: 40)
        case .conversations: (count: "200", least: 6)
        case .chats: (count: "200", least: 24)
        case .calendars: (count: "200", least: 20)
        case .idle: (count: "held", least: 1_500)
        case .captures: (count: "ack", least: 60)
        case .words: (count: "200", least: 200)
        case .upcoming: (count: "200", least: 500)
        case .memory: (count: "polls of a network", least: 100)
        case .copies: (count: "asked", least: 20)
        case .repeats: (count: "200", least: 10)
        case .inspections: (count: "200", least: 30)
        case .profiles: (count: "stranger 200", least: 2)
        case .halfclosed: (count: "polls", least: 800)
        case .multiplexed: (count: "sockets", least: 300)
        case .waiting: (count: "uploads", least: 400)
        case .messages: (count: "sockets", least: 200)
        case .prefixes, .changes: (count: "200", least: 40)
        case .links: (count: "asked", least: 30)
        case .decoding: (count: "200", least: 40)
        case .resets: (count: "connections", least: 100)
        case .archives: (count: "200", least: 40)
        case .heads: (count: "401", least: 2_000)
        case .escapes: (count: "200", least: 3)
        case .papers: (count: "without text", least: 8)
        case .recordings: (count: "200", least: 1)
        default: nil
        }
    }

    /// The longest waits of a victim in milliseconds, in the median and at most. An operation that takes long without an attack may take
    /// three times as long as then. `nil` if the 99th percentile is compared with that of the idle server instead.
    var mostWait: (median: Double, longest: Double)? {
        switch self {
        case .words, .upcoming, .memory, .copies, .repeats, .inspections, .profiles: (median: 300, longest: 1_000)
        case .halfclosed, .multiplexed, .waiting, .messages, .prefixes, .changes, .links: (median: 300, longest: 1_000)
        case .decoding, .resets, .archives, .heads, .escapes, .papers, .recordings: (median: 300, longest: 1_000)
        default: nil
        }
    }

    /// The longest median of a victim's operation in milliseconds, if the operation needs the same kind of work as the attack. `mostWait`
    /// then does not apply to it.
    func mostMedian(of operation: String) -> Double? {
        switch (self, operation) {
        case (.papers, "document"): 2_000
        case (.recordings, "voice"), (.recordings, "frame"): 3_000
        default: nil
        }
    }

    /// Whether `make test` measures it. The others use many accounts, whose preparation would take most of the time.
    var isInSmallForm: Bool { leastEffect == nil }

    /// Whether `everything` takes it too. Only the first twelve resources are part of it, so that its figures compare with earlier runs.
    var isPartOfEverything: Bool { self != .everything && leastEffect == nil }

    /// Whether the control must fail in the small form too. On a busy machine, the small form is too short to fill the other resources.
    var isControlQuick: Bool { [.places, .forms, .bodies, .streams, .exports].contains(self) }

    /// The number of accounts that the attack uses.
    var accountCount: Int {
        switch self {
        case .exports: 2
        case .questions, .calendars: 20
        case .conversations: 6
        case .chats: 48
        case .captures: 30
        case .words, .copies: 24
        case .upcoming: 18
        case .memory, .halfclosed, .multiplexed: 52
        case .waiting, .messages: 24
        case .repeats, .prefixes, .changes, .decoding, .recordings: 4
        case .resets, .escapes: 48
        case .archives: 32
        case .inspections: 5
        case .profiles, .papers: 8
        case .links: 10
        default: 1
        }
    }

    /// Whether the attack exhausts its accounts' rate limits or quotas, or the server then knows them as slow. Each attempt then needs
    /// other accounts.
    var spendsItsAccounts: Bool {
        [.forms, .hashes, .writes, .captures, .words, .copies, .links, .archives, .recordings].contains(self)
    }

    /// The number of networks that the attack uses. A connection limit applies to each network, an account's share to all of them together.
    var networkCount: Int {
        switch self {
        case .places: 4
        case .bodies: 5
        case .hashes, .conversations: 2
        case .questions, .chats, .words, .upcoming, .memory, .copies, .repeats, .inspections: 4
        case .halfclosed, .multiplexed, .waiting, .messages, .prefixes, .changes, .links: 4
        case .decoding, .resets, .archives, .heads, .escapes, .papers, .recordings: 4
        case .profiles: 5
        case .captures: 10
        case .idle: 36
        case .calendars: 60
        default: 1
        }
    }

    /// The operations that the victims do in every part.
    static let victims = ["me", "upload", "search", "signin", "download", "connect"]
    /// The operations that the victims do only in some parts.
    private static let others = ["export", "chat", "ask", "photos"]
    /// An account may download one archive or export at a time. So nothing measures archives beside exports.
    static let archive = "archive"
    /// Operations that use the media workers. They are measured without an attack only before the first part that has them, because they
    /// would delay the uploads of the measurement before all parts.
    static let pictures = ["thumbnail", "page", "open"]
    /// Operations that each belong to one part: a voice note, a film's thumbnail, and a document of a chat. They are measured without an
    /// attack only before their part.
    static let ofOnePart = ["voice", "frame", "document"]
    static let operations = victims + others + [archive] + pictures + ofOnePart

    var victimOperations: [String] {
        switch self {
        case .exports: Self.victims + ["export"]
        case .chats, .conversations: Self.victims + ["chat"]
        case .questions, .prefixes: Self.victims + ["ask"]
        case .messages: Self.victims + ["photos"]
        case .archives: Self.victims + [Self.archive]
        case .copies, .repeats, .profiles: Self.victims + ["thumbnail"]
        case .inspections: Self.victims + ["thumbnail", "page"]
        case .links: Self.victims + ["thumbnail", "open"]
        case .papers: Self.victims + ["document"]
        case .recordings: Self.victims + ["voice", "frame"]
        default: Self.victims
        }
    }

    /// All operations that the victims do in these parts, except archives, those with pictures, and those of one part.
    static func operations(in parts: [GreedyResource]) -> [String] {
        victims + others.filter { operation in parts.contains { $0.victimOperations.contains(operation) } }
    }

    /// The operations with pictures that the victims do in these parts.
    static func pictureOperations(in parts: [GreedyResource]) -> [String] {
        pictures.filter { operation in parts.contains { $0.victimOperations.contains(operation) } }
    }
}
