import AccountData
import Accounts
import Ask
import Blobs
import Capsules
import Captures
import Chat
import Core
import Coves
import Database
import DatabaseEngines
import FeatureKit
import Installation
import Intelligence
import KeepsakeWire
import Mail
import Media
import MediaTools
import Moments
import Outbound
import People
import Search
import Timeline
import Web

/// The list of features. No other code of the server names or makes them.
struct Features: Sendable {
    /// The types of all features, in the order in which their migrations first run.
    static let types: [any Feature.Type] = [
        AccountsFeature.self, TimelineFeature.self, SearchFeature.self, MediaFeature.self, MomentsFeature.self, CapsulesFeature.self,
        PeopleFeature.self, CovesFeature.self, CapturesFeature.self, AskFeature.self, ChatFeature.self, InstallationFeature.self,
        AccountDataFeature.self,
    ]

    /// The features, one of each type in `types`.
    let all: [any Feature]
    let accounts: AccountsFeature
    let media: MediaFeature
    let links: SignedLinks

    /// - Parameter platform: the parts that features need. Its database is already migrated.
    init(_ platform: FeaturePlatform, _ settings: Settings) async throws {
        let (database, workers, identifiers) = (platform.database, platform.workers, platform.identifiers)
        let quota = MediaQuota(byteCount: settings.quotaByteCount)
        let gate = MediaFeature.gate(
            database, blobs: platform.blobs, scanner: platform.scanner, workers: workers, files: platform.files, quota: quota,
            limits: settings.uploadBudget, identifiers: identifiers)
        let context = try await platform.context(gate, settings) { name in
            try await AccountsFeature.secret(named: name, database, clock: identifiers.clock, entropy: identifiers.entropy)
        }
        let accounts = AccountsFeature(
            context, settings: try settings.forAccounts, files: LibrarySummary(links: context.links, quota: quota))
        let media = MediaFeature(
            context, workers: workers, files: platform.files, redirects: settings.blobsRedirect, quota: quota, limits: settings.uploads,
            converter: FilmConverter(settings.mediaWorker, settings.filmLimits), accounts: accounts, features: Self.types)
        let library = media.library
        let allowsOutside: @Sendable (String) async throws -> Bool = { try await accounts.allowsOutsideEngines($0) }
        let engines = settings.engines(platform, allowsOutside: allowsOutside)
        let captures = CapturesFeature(
            context, accounts: accounts, library: library, served: media.files, workers: workers, files: platform.files, engines: engines,
            allowsAnonymous: settings.allowsAnonymous, inbox: settings.captures)
        let people = PeopleFeature(context, accounts: accounts, library: library, coves: CoveMembership())
        let keepers: [any Feature] = [
            media,
            MomentsFeature(context, library: library, timeZone: accounts.timeZone(of:)),
            CapsulesFeature(
                context, library: library, workers: workers, files: platform.files, engines: engines, allowsOutside: allowsOutside),
            people,
            CovesFeature(context, accounts: accounts, people: people, library: library),
            captures,
        ]
        // Timeline and Search show the entries of these features.
        let kinds = keepers.flatMap(\.entryKinds)
        let views: [any Feature] = [
            TimelineFeature(context, kinds: kinds, timeZone: accounts.timeZone(of:)), SearchFeature(context, kinds: kinds),
        ]
        let ask = AskFeature(
            context, kinds: kinds, engines: engines, allowsOutside: allowsOutside, timeZone: accounts.timeZone(of:),
            people: CapturedPeople(captures: captures))
        let chat = ChatFeature(
            context, library: library, served: media.files, workers: workers, files: platform.files, engines: engines,
            tool: SandboxedTool(settings.mediaWorker), providers: settings.chatProviders(platform, allowsOutside: allowsOutside),
            answers: ask.answers, ledger: platform.calls, allowsOutside: allowsOutside,
            timeZone: accounts.timeZone(of:), tuning: settings.chat.tuning)
        let program = InstallationFeature.Program(
            version: Keepsake.version, databaseEngine: settings.database.engineName, checks: platform.checks,
            figures: { [installation = platform.installation] in installation.figures })
        let others = [accounts] + views + keepers + [ask, chat, InstallationFeature(context, program: program, calls: platform.calls)]
        all = others + [AccountDataFeature(context, accounts: accounts, quotas: library.quotas, others: others)]
        precondition(
            all.count == Self.types.count
                && Set(all.map { ObjectIdentifier(type(of: $0)) }) == Set(Self.types.map { ObjectIdentifier($0) }),
            "types lists each feature that is made here, once")
        self.accounts = accounts
        self.media = media
        links = context.links
    }

    subscript<F: Feature>(_: F.Type) -> F { all.lazy.compactMap { $0 as? F }.first! }

    // MARK: What the platform needs of features

    var authenticator: any Authenticator & SessionWatch { accounts }
    /// The function that counts rows of the platform against their owner's quota.
    var countRowBytes: IdempotencyStore.CountBytes { media.library.count(rowBytes:owner:_:) }
}

extension Backend {
    var accounts: AccountsFeature { features.accounts }
    var media: MediaFeature { features.media }
}

extension Settings {
    fileprivate var forAccounts: AccountsSettings {
        get throws {
            var accounts = AccountsSettings(
                issuer: { [publicURL] in publicURL ?? "keepsake" }, registration: registration.forAccounts, passwordCost: passwordCost)
            accounts.mailer = try smtp.map(SMTPClient.init)
            accounts.confirmsEmail = confirmsEmail
            accounts.resetLink = resetLink
            accounts.identities = identities
            accounts.verifiedByDefault = environment == .production ? .phone : .everybody
            return accounts
        }
    }
}

extension Settings.Registration {
    fileprivate var forAccounts: AccountsSettings.Registration {
        switch self {
        case .open: .open
        case .invite: .invite
        case .closed: .closed
        }
    }
}
