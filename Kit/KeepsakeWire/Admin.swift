public import Foundation
import HTTPTypes

/// `/admin`: endpoints for the operator, surface 4, with JSON keys in snake_case. Only administrators may call them: everybody else gets
/// 403.
public enum AdminEndpoints {
    public static let users = Endpoint<ListAdminUsersInput, AdminUserList>(.get, "/admin/users", surface: .capsules)
    public static let user = Endpoint<AdminUserPath, AdminUserPage>(.get, "/admin/users/{id}", surface: .capsules)
    /// Deletes the account, even a suspended one. The account ends immediately; the server deletes its data shortly after.
    public static let deleteUser = Endpoint<DeleteAdminUserInput, DeletedAccount>(.delete, "/admin/users/{id}", surface: .capsules)
    /// Gives the account its own quota, or the server's quota again.
    public static let setQuota = Endpoint<AdminQuotaInput, AdminUser>(
        .post, "/admin/users/{id}/quota", surface: .capsules, body: .json(maxByteCount: 16_384))
    /// Makes the account an administrator.
    public static let promote = Endpoint<AdminUserPath, AdminUser>(.post, "/admin/users/{id}/promote", surface: .capsules)
    public static let demote = Endpoint<AdminUserPath, AdminUser>(.post, "/admin/users/{id}/demote", surface: .capsules)
    /// Suspends the account: the server refuses its credentials with 403 and `suspended`, and hides the account from everybody else.
    /// Nothing is deleted.
    public static let suspend = Endpoint<AdminUserPath, AdminUser>(.post, "/admin/users/{id}/suspend", surface: .capsules)
    /// Undoes a suspension.
    public static let restore = Endpoint<AdminUserPath, AdminUser>(.post, "/admin/users/{id}/restore", surface: .capsules)
    /// Puts the account on the list of verified accounts.
    public static let verify = Endpoint<AdminUserPath, AdminUser>(.post, "/admin/users/{id}/verify", surface: .capsules)
    public static let unverify = Endpoint<AdminUserPath, AdminUser>(.post, "/admin/users/{id}/unverify", surface: .capsules)
    public static let reports = Endpoint<ListAdminReportsInput, AdminReportList>(.get, "/admin/reports", surface: .capsules)
    public static let resolveReport = Endpoint<ResolveReportInput, AdminReport>(
        .post, "/admin/reports/{id}/resolve", surface: .capsules, body: .json(maxByteCount: 16_384))
}

// MARK: Accounts

public struct ListAdminUsersInput: Codable, Sendable {
    /// An account's id, a phone number in international form, or the beginning of an e-mail address. `nil` lists all accounts.
    public var query: String?
    /// 1…100, default 20.
    public var limit: Int?
    /// `next_cursor` of the previous page.
    public var cursor: String?

    public init(query: String? = nil, limit: Int? = nil, cursor: String? = nil) {
        self.query = query
        self.limit = limit
        self.cursor = cursor
    }
}

public struct AdminUserPath: Codable, Sendable {
    public var id: String

    public init(id: String) { self.id = id }
}

public struct DeleteAdminUserInput: Codable, Sendable {
    public var id: String
    /// Whether each cove that the account created gets another member as its creator. Default: `false`; the coves then end.
    public var keepCoves: Bool?

    public init(id: String, keepCoves: Bool? = nil) {
        self.id = id
        self.keepCoves = keepCoves
    }

    enum CodingKeys: String, CodingKey {
        case id
        case keepCoves = "keep_coves"
    }
}

public struct AdminQuotaInput: Codable, Sendable {
    public var id: String
    /// Bytes that the account may store, 0…1,048,576,000,000,000. `clear` gives the account the server's quota again. The server refuses a
    /// request without the value, so that a misspelt name does not remove an account's own quota.
    public var bytes: Change<Int>

    public init(id: String, bytes: Int?) {
        self.id = id
        self.bytes = bytes.map { .set($0) } ?? .clear
    }
}

public struct AdminUserList: Codable, Sendable, Equatable {
    /// The accounts, newest first. If the query is the beginning of an e-mail address, they are in the order of the addresses.
    public var users: [AdminUser]
    /// `nil` on the last page.
    @OrNull public var nextCursor: String?

    public init(users: [AdminUser], nextCursor: String?) {
        self.users = users
        self.nextCursor = nextCursor
    }

    enum CodingKeys: String, CodingKey {
        case users
        case nextCursor = "next_cursor"
    }
}

public struct AdminUser: Codable, Sendable, Equatable {
    public var id: String
    @OrNull public var name: String?
    @OrNull public var email: String?
    /// The phone number in E.164 format.
    @OrNull public var phone: String?
    public var createdAt: Date
    /// When the operator suspended the account; `nil` if it is not suspended.
    @OrNull public var suspendedAt: Date?
    /// When the operator verified the account; `nil` if it is not verified by the operator.
    @OrNull public var verifiedAt: Date?
    public var isAdmin: Bool
    public var usage: Usage

    public init(
        id: String, name: String?, email: String?, phone: String?, createdAt: Date, suspendedAt: Date?, verifiedAt: Date?, isAdmin: Bool,
        usage: Usage
    ) {
        self.id = id
        self.name = name
        self.email = email
        self.phone = phone
        self.createdAt = createdAt
        self.suspendedAt = suspendedAt
        self.verifiedAt = verifiedAt
        self.isAdmin = isAdmin
        self.usage = usage
    }

    /// How much the account stores and may store.
    public struct Usage: Codable, Sendable, Equatable {
        public var files: Int
        /// Bytes of files and entries.
        public var bytes: Int
        /// Bytes that the account may store.
        public var quota: Int
        /// The account's own quota; `nil` if it has the server's quota.
        @OrNull public var ownQuota: Int?

        public init(files: Int, bytes: Int, quota: Int, ownQuota: Int?) {
            self.files = files
            self.bytes = bytes
            self.quota = quota
            self.ownQuota = ownQuota
        }

        enum CodingKeys: String, CodingKey {
            case files, bytes, quota
            case ownQuota = "own_quota"
        }
    }

    enum CodingKeys: String, CodingKey {
        case id, name, email, phone, usage
        case createdAt = "created_at"
        case suspendedAt = "suspended_at"
        case verifiedAt = "verified_at"
        case isAdmin = "is_admin"
    }
}

public struct AdminUserPage: Codable, Sendable, Equatable {
    public var user: AdminUser
    /// The account's live sessions, newest first, at most 500.
    public var sessions: [SessionList.Session]

    public init(user: AdminUser, sessions: [SessionList.Session]) {
        self.user = user
        self.sessions = sessions
    }
}

// MARK: Reports

public struct ReportStatus: WireWord {
    public static let open = ReportStatus(rawValue: "open")
    public static let resolved = ReportStatus(rawValue: "resolved")
    public static let allCases: [ReportStatus] = [.open, .resolved]

    public let rawValue: String

    public init(rawValue: String) { self.rawValue = rawValue }
}

public struct ListAdminReportsInput: Codable, Sendable {
    /// Lists only reports with this status. Default: `open`.
    public var status: ReportStatus?
    /// 1…100, default 20.
    public var limit: Int?
    /// `next_cursor` of the previous page.
    public var cursor: String?

    public init(status: ReportStatus? = nil, limit: Int? = nil, cursor: String? = nil) {
        self.status = status
        self.limit = limit
        self.cursor = cursor
    }
}

public struct ResolveReportInput: Codable, Sendable {
    public var id: String
    /// What the administrator did, for other administrators; at most 1,000 characters.
    public var note: String?

    public init(id: String, note: String? = nil) {
        self.id = id
        self.note = note
    }
}

public struct AdminReportList: Codable, Sendable, Equatable {
    /// The reports, newest first.
    public var reports: [AdminReport]
    /// `nil` on the last page.
    @OrNull public var nextCursor: String?

    public init(reports: [AdminReport], nextCursor: String?) {
        self.reports = reports
        self.nextCursor = nextCursor
    }

    enum CodingKeys: String, CodingKey {
        case reports
        case nextCursor = "next_cursor"
    }
}

public struct AdminReport: Codable, Sendable, Equatable {
    public var id: String
    public var status: ReportStatus
    public var reason: String
    public var createdAt: Date
    public var reporter: Person
    public var subject: Subject
    /// `nil` while the report is open.
    @OrNull public var resolvedAt: Date?
    /// The account id of the administrator. `nil` while the report is open, or if a command or a deleted account resolved it.
    @OrNull public var resolvedBy: String?
    @OrNull public var note: String?

    public init(
        id: String, status: ReportStatus, reason: String, createdAt: Date, reporter: Person, subject: Subject, resolvedAt: Date?,
        resolvedBy: String?, note: String?
    ) {
        self.id = id
        self.status = status
        self.reason = reason
        self.createdAt = createdAt
        self.reporter = reporter
        self.subject = subject
        self.resolvedAt = resolvedAt
        self.resolvedBy = resolvedBy
        self.note = note
    }

    public struct Person: Codable, Sendable, Equatable {
        public var id: String
        /// The person's name; empty before the person has onboarded.
        public var name: String

        public init(id: String, name: String) {
            self.id = id
            self.name = name
        }
    }

    /// What the report is about.
    public struct Subject: Codable, Sendable, Equatable {
        public var kind: ReportKind
        /// The id in the report. The server does not check it: it may be the id of something that never existed or was deleted.
        public var id: String
        /// The name of the person, the cove or the event; `nil` for a photo, and if the subject does not exist.
        @OrNull public var name: String?
        /// The account responsible for it: the person, the photo's owner, the cove's creator or the event's host; `nil` if there is none.
        @OrNull public var accountID: String?

        public init(kind: ReportKind, id: String, name: String?, accountID: String?) {
            self.kind = kind
            self.id = id
            self.name = name
            self.accountID = accountID
        }

        enum CodingKeys: String, CodingKey {
            case kind, id, name
            case accountID = "account_id"
        }
    }

    enum CodingKeys: String, CodingKey {
        case id, status, reason, reporter, subject, note
        case createdAt = "created_at"
        case resolvedAt = "resolved_at"
        case resolvedBy = "resolved_by"
    }
}
