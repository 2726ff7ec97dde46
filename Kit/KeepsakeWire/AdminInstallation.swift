public import Foundation
import HTTPTypes

/// Endpoints that show administrators the state of the whole installation: surface 4, with JSON keys in snake_case.
extension AdminEndpoints {
    public static let status = Endpoint<Empty, AdminStatus>(.get, "/admin/status", surface: .capsules)
    public static let jobs = Endpoint<ListAdminJobsInput, AdminJobList>(.get, "/admin/jobs", surface: .capsules)
    /// Makes a parked job ready again, with the full number of attempts.
    public static let retryJob = Endpoint<AdminJobPath, AdminJob>(.post, "/admin/jobs/{id}/retry", surface: .capsules)
    public static let outside = Endpoint<ListOutsideCallsInput, OutsideCallList>(.get, "/admin/outside", surface: .capsules)
}

// MARK: Status

public struct AdminStatus: Codable, Sendable, Equatable {
    /// The version of the server that responds.
    public var version: String
    /// The services and resources that the server needs, checked for this request.
    public var checks: [Check]
    /// When the values below were read, at most about 30 seconds ago; `nil` shortly after the start, before they are read. `nodes` is read
    /// for each request.
    @OrNull public var measuredAt: Date?
    public var database: Database
    @OrNull public var disk: Disk?
    /// Number of accounts, without deleted ones; `nil` until they were counted for the first time.
    @OrNull public var accounts: Int?
    /// Stored files by kind; empty until they were counted for the first time.
    public var stored: [Stored]
    /// The kinds of jobs that exist now.
    public var jobs: [JobCount]
    /// The nodes, in the order in which they started. Includes nodes that stopped without a shutdown, if their last heartbeat is less than
    /// a day old.
    public var nodes: [Node]

    public init(
        version: String, checks: [Check], measuredAt: Date?, database: Database, disk: Disk?, accounts: Int?, stored: [Stored],
        jobs: [JobCount], nodes: [Node]
    ) {
        self.version = version
        self.checks = checks
        self.measuredAt = measuredAt
        self.database = database
        self.disk = disk
        self.accounts = accounts
        self.stored = stored
        self.jobs = jobs
        self.nodes = nodes
    }

    public struct Check: Codable, Sendable, Equatable {
        /// What was checked, for example `database`.
        public var name: String
        public var isOK: Bool
        /// Why the check failed; `nil` if it succeeded.
        @OrNull public var error: String?

        public init(name: String, isOK: Bool, error: String?) {
            self.name = name
            self.isOK = isOK
            self.error = error
        }

        enum CodingKeys: String, CodingKey {
            case name, error
            case isOK = "is_ok"
        }
    }

    public struct Database: Codable, Sendable, Equatable {
        /// `SQLite` or `PostgreSQL`.
        public var engine: String
        /// Bytes on the database's disk, with indexes.
        @OrNull public var bytes: Int?

        public init(engine: String, bytes: Int?) {
            self.engine = engine
            self.bytes = bytes
        }
    }

    /// The disk of this node's data folder.
    public struct Disk: Codable, Sendable, Equatable {
        /// Bytes that the server can still use.
        public var free: Int
        /// Bytes that all programs use.
        public var used: Int

        public init(free: Int, used: Int) {
            self.free = free
            self.used = used
        }
    }

    public struct Stored: Codable, Sendable, Equatable {
        /// `image`, `video`, `audio`, `document`, or `copy` for smaller copies that the server made.
        public var kind: String
        public var files: Int
        public var bytes: Int

        public init(kind: String, files: Int, bytes: Int) {
            self.kind = kind
            self.files = files
            self.bytes = bytes
        }
    }

    public struct JobCount: Codable, Sendable, Equatable {
        public var kind: String
        public var ready: Int
        public var running: Int
        public var parked: Int
        /// How long the first ready job has been due, in seconds; 0 when no job is due.
        public var oldestSeconds: Double

        public init(kind: String, ready: Int, running: Int, parked: Int, oldestSeconds: Double) {
            self.kind = kind
            self.ready = ready
            self.running = running
            self.parked = parked
            self.oldestSeconds = oldestSeconds
        }

        enum CodingKeys: String, CodingKey {
            case kind, ready, running, parked
            case oldestSeconds = "oldest_seconds"
        }
    }

    public struct Node: Codable, Sendable, Equatable {
        public var id: String
        /// The name of the node's machine and the port on which it listens.
        public var host: String
        public var version: String
        public var startedAt: Date
        public var lastHeartbeat: Date
        /// Whether the last heartbeat is at most 30 seconds old.
        public var isAlive: Bool
        /// Requests in progress at the time of the last heartbeat.
        public var requests: Int
        /// Jobs that ran at the time of the last heartbeat.
        public var jobs: Int

        public init(
            id: String, host: String, version: String, startedAt: Date, lastHeartbeat: Date, isAlive: Bool, requests: Int, jobs: Int
        ) {
            self.id = id
            self.host = host
            self.version = version
            self.startedAt = startedAt
            self.lastHeartbeat = lastHeartbeat
            self.isAlive = isAlive
            self.requests = requests
            self.jobs = jobs
        }

        enum CodingKeys: String, CodingKey {
            case id, host, version, requests, jobs
            case startedAt = "started_at"
            case lastHeartbeat = "last_heartbeat"
            case isAlive = "is_alive"
        }
    }

    enum CodingKeys: String, CodingKey {
        case version, checks, database, disk, accounts, stored, jobs, nodes
        case measuredAt = "measured_at"
    }
}

// MARK: Jobs

public struct AdminJobState: WireWord {
    /// The job waits until it is due, or for a free worker.
    public static let ready = AdminJobState(rawValue: "ready")
    public static let running = AdminJobState(rawValue: "running")
    /// The job failed for good. It stays until an administrator retries it.
    public static let parked = AdminJobState(rawValue: "parked")
    public static let allCases: [AdminJobState] = [.ready, .running, .parked]

    public let rawValue: String

    public init(rawValue: String) { self.rawValue = rawValue }
}

public struct ListAdminJobsInput: Codable, Sendable {
    /// Lists only jobs in this state. Default: `parked`.
    public var state: AdminJobState?
    /// Lists only jobs of this kind. The kind is written as in `AdminJob`.
    public var kind: String?
    /// 1…100, default 20.
    public var limit: Int?
    /// `next_cursor` of the previous page.
    public var cursor: String?

    public init(state: AdminJobState? = nil, kind: String? = nil, limit: Int? = nil, cursor: String? = nil) {
        self.state = state
        self.kind = kind
        self.limit = limit
        self.cursor = cursor
    }
}

public struct AdminJobPath: Codable, Sendable {
    public var id: String

    public init(id: String) { self.id = id }
}

public struct AdminJobList: Codable, Sendable, Equatable {
    /// The jobs by kind, then by the time at which they are due.
    public var jobs: [AdminJob]
    /// `nil` on the last page.
    @OrNull public var nextCursor: String?

    public init(jobs: [AdminJob], nextCursor: String?) {
        self.jobs = jobs
        self.nextCursor = nextCursor
    }

    enum CodingKeys: String, CodingKey {
        case jobs
        case nextCursor = "next_cursor"
    }
}

/// A background job. Its payload is not included.
public struct AdminJob: Codable, Sendable, Equatable {
    public var id: String
    public var kind: String
    public var state: AdminJobState
    /// The account whose data the job works on; `nil` for jobs without one.
    @OrNull public var accountID: String?
    /// Number of attempts since the job was created or an operator last retried it.
    public var tries: Int
    public var createdAt: Date
    /// When the job is due.
    public var runAt: Date
    /// The node that runs the job; `nil` when the job does not run.
    @OrNull public var node: String?
    /// Why the job's last attempt failed.
    @OrNull public var error: String?

    public init(
        id: String, kind: String, state: AdminJobState, accountID: String?, tries: Int, createdAt: Date, runAt: Date, node: String?,
        error: String?
    ) {
        self.id = id
        self.kind = kind
        self.state = state
        self.accountID = accountID
        self.tries = tries
        self.createdAt = createdAt
        self.runAt = runAt
        self.node = node
        self.error = error
    }

    enum CodingKeys: String, CodingKey {
        case id, kind, state, tries, node, error
        case accountID = "account_id"
        case createdAt = "created_at"
        case runAt = "run_at"
    }
}

// MARK: Requests to engines outside the installation

public struct ListOutsideCallsInput: Codable, Sendable {
    /// Lists only requests with data of this account.
    public var account: String?
    /// 1…100, default 20.
    public var limit: Int?
    /// `next_cursor` of the previous page.
    public var cursor: String?

    public init(account: String? = nil, limit: Int? = nil, cursor: String? = nil) {
        self.account = account
        self.limit = limit
        self.cursor = cursor
    }
}

public struct OutsideCallList: Codable, Sendable, Equatable {
    /// The requests, newest first. The server keeps them for 90 days.
    public var calls: [OutsideCall]
    /// `nil` on the last page.
    @OrNull public var nextCursor: String?

    public init(calls: [OutsideCall], nextCursor: String?) {
        self.calls = calls
        self.nextCursor = nextCursor
    }

    enum CodingKeys: String, CodingKey {
        case calls
        case nextCursor = "next_cursor"
    }
}

/// A request that this server sent to an engine outside the installation. The content of the request is not stored.
public struct OutsideCall: Codable, Sendable, Equatable {
    public var id: String
    /// The account whose data the request contained; `nil` for a test request by the operator.
    @OrNull public var accountID: String?
    public var at: Date
    /// For example `gemini`.
    public var engine: String
    /// `analyse`, `answer`, `chat`, `transcribe` or `probe`.
    public var purpose: String
    public var model: String
    public var host: String
    public var bytesSent: Int
    /// Bytes of the response; `nil` when no response came.
    @OrNull public var bytesReceived: Int?
    @OrNull public var milliseconds: Int?
    /// `sent` while the request runs, and also afterwards if the server stopped in the meantime. Otherwise `answered 200`, or the reason
    /// why there is no answer.
    public var outcome: String
    /// Tokens as the engine counts them; `nil` when it does not report them.
    @OrNull public var inputTokens: Int?
    @OrNull public var outputTokens: Int?

    public init(
        id: String, accountID: String?, at: Date, engine: String, purpose: String, model: String, host: String, bytesSent: Int,
        bytesReceived: Int?, milliseconds: Int?, outcome: String, inputTokens: Int?, outputTokens: Int?
    ) {
        self.id = id
        self.accountID = accountID
        self.at = at
        self.engine = engine
        self.purpose = purpose
        self.model = model
        self.host = host
        self.bytesSent = bytesSent
        self.bytesReceived = bytesReceived
        self.milliseconds = milliseconds
        self.outcome = outcome
        self.inputTokens = inputTokens
        self.outputTokens = outputTokens
    }

    enum CodingKeys: String, CodingKey {
        case id, at, engine, purpose, model, host, milliseconds, outcome
        case accountID = "account_id"
        case bytesSent = "bytes_sent"
        case bytesReceived = "bytes_received"
        case inputTokens = "input_tokens"
        case outputTokens = "output_tokens"
    }
}
