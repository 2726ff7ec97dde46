import ArgumentParser

/// The flags of settings. Each setting also has an environment variable `KEEPSAKE_…` and a key in keepsake.yaml. The flags are in groups,
/// the common ones first, so that `--help` is readable. Code reads a flag without naming its group.
@dynamicMemberLookup
struct Options: ParsableArguments {
    @OptionGroup(title: CommonOptions.title)
    var common: CommonOptions

    @OptionGroup(title: AccountOptions.title)
    var accounts: AccountOptions

    @OptionGroup(title: ConnectionOptions.title)
    var connections: ConnectionOptions

    @OptionGroup(title: MailOptions.title)
    var mail: MailOptions

    @OptionGroup(title: StorageOptions.title)
    var storage: StorageOptions

    @OptionGroup(title: EngineOptions.title)
    var engines: EngineOptions

    @OptionGroup(title: IdentityOptions.title)
    var identities: IdentityOptions

    @OptionGroup(title: FeatureOptions.title)
    var features: FeatureOptions

    subscript<Value>(dynamicMember path: KeyPath<CommonOptions, Value>) -> Value { common[keyPath: path] }
    subscript<Value>(dynamicMember path: KeyPath<AccountOptions, Value>) -> Value { accounts[keyPath: path] }
    subscript<Value>(dynamicMember path: KeyPath<ConnectionOptions, Value>) -> Value { connections[keyPath: path] }
    subscript<Value>(dynamicMember path: KeyPath<MailOptions, Value>) -> Value { mail[keyPath: path] }
    subscript<Value>(dynamicMember path: KeyPath<StorageOptions, Value>) -> Value { storage[keyPath: path] }
    subscript<Value>(dynamicMember path: KeyPath<EngineOptions, Value>) -> Value { engines[keyPath: path] }
}

/// The settings of a command that works while the server runs. It reads all settings, as the server does, but its help shows only the
/// common ones, because it uses no others. There is no further level of groups: in a debug build, each level makes ArgumentParser check the
/// groups below it five times as often.
struct ToolOptions: ParsableArguments {
    @OptionGroup(title: CommonOptions.title)
    var common: CommonOptions

    @OptionGroup(visibility: .hidden)
    var accounts: AccountOptions

    @OptionGroup(visibility: .hidden)
    var connections: ConnectionOptions

    @OptionGroup(visibility: .hidden)
    var mail: MailOptions

    @OptionGroup(visibility: .hidden)
    var storage: StorageOptions

    @OptionGroup(visibility: .hidden)
    var engines: EngineOptions

    @OptionGroup(visibility: .hidden)
    var identities: IdentityOptions

    @OptionGroup(visibility: .hidden)
    var features: FeatureOptions

    var all: Options { Options(common, accounts, connections, mail, storage, engines, identities, features) }
}

extension Options {
    /// Combines the groups of options that a command declares itself.
    init(
        _ common: CommonOptions, _ accounts: AccountOptions, _ connections: ConnectionOptions, _ mail: MailOptions,
        _ storage: StorageOptions, _ engines: EngineOptions, _ identities: IdentityOptions, _ features: FeatureOptions
    ) {
        self.init()
        self.common = common
        self.accounts = accounts
        self.connections = connections
        self.mail = mail
        self.storage = storage
        self.engines = engines
        self.identities = identities
        self.features = features
    }
}

/// The settings that most installations need. The help of all commands that open the installation shows them.
struct CommonOptions: ParsableArguments {
    static let title = "Common settings"

    @Option(help: "The folder for all data (KEEPSAKE_DATA). Default: data")
    var data: String?

    @Option(help: "A file of settings in YAML (KEEPSAKE_CONFIG). Default: keepsake.yaml; of the package: /etc/keepsake/keepsake.yaml")
    var config: String?

    @Option(help: "development or production, which refuses unsafe settings (KEEPSAKE_ENV). Default: development")
    var env: String?

    @Option(help: "The URL at which clients reach the server, for example https://api.example.org (KEEPSAKE_PUBLIC_URL)")
    var publicURL: String?

    @Option(help: "sqlite:PATH or postgres://USER@HOST/NAME (KEEPSAKE_DATABASE). Default: keepsake.sqlite in the data folder")
    var database: String?

    @Option(
        help:
            "file:DIR or s3://BUCKET?endpoint=URL&region=REGION, with keys in AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY (KEEPSAKE_BLOBS). Default: the data folder"
    )
    var blobs: String?
}

struct AccountOptions: ParsableArguments {
    static let title = "Accounts and quotas"

    @Option(help: "open, invite or closed (KEEPSAKE_REGISTRATION). Default: open in development, invite in production")
    var registration: String?

    @Option(help: "The time zone of days, for example Europe/Berlin (KEEPSAKE_TIME_ZONE). Default: UTC")
    var timeZone: String?

    @Option(help: "Megabytes of storage per account (KEEPSAKE_QUOTA_MB). Default: 10240")
    var quotaMB: String?

    @Option(help: "Megabytes of a photo or film in the library or a moment, 1…512 (KEEPSAKE_MAX_FILE_MB). Default: 50")
    var maxFileMB: String?

    @Option(
        help: "Megabytes of a request with such files, 2…6144 (KEEPSAKE_MAX_REQUEST_MB). Default: what ten files of the largest size need")
    var maxRequestMB: String?

    @Option(help: "Days a link stays valid after the next midnight UTC, 1…365 (KEEPSAKE_LINK_DAYS). Default: 7")
    var linkDays: String?

    @Option(
        help: "Days for which a retry with the same Idempotency-Key gets the first response, 1…90 (KEEPSAKE_IDEMPOTENCY_DAYS). Default: 30")
    var idempotencyDays: String?
}

struct ConnectionOptions: ParsableArguments {
    static let title = "Connections and limits"

    @Option(help: "A certificate chain in PEM; with it and its key the server accepts only TLS (KEEPSAKE_TLS_CERT)")
    var tlsCert: String?

    @Option(help: "The certificate's private key in PEM (KEEPSAKE_TLS_KEY)")
    var tlsKey: String?

    @Option(help: "Addresses or blocks of trusted proxies, separated by commas (KEEPSAKE_TRUSTED_PROXIES)")
    var trustedProxies: String?

    @Option(help: "A token that may read only /metrics; set the variable, since other users can see flags (KEEPSAKE_METRICS_TOKEN)")
    var metricsToken: String?

    @Option(help: "Other origins whose web pages may use the session cookie, separated by commas (KEEPSAKE_ORIGINS)")
    var origins: String?

    @Option(help: "Open connections per address (KEEPSAKE_CONNECTIONS_PER_ADDRESS). Default: 256")
    var connectionsPerAddress: String?

    @Option(help: "Megabytes of memory for open connections, 10…100000 (KEEPSAKE_CONNECTION_MEMORY_MB). Default: 128")
    var connectionMemoryMB: String?

    @Option(help: "on, or off outside production (KEEPSAKE_RATE_LIMITS). Default: on")
    var rateLimits: String?

    @Option(help: "Sign-in attempts per minute, for each address and each name (KEEPSAKE_RATE_SIGN_IN). Default: 20")
    var rateSignIn: String?

    @Option(help: "Writing requests per minute and account (KEEPSAKE_RATE_WRITE). Default: 600")
    var rateWrite: String?

    @Option(help: "Reading requests per minute and account (KEEPSAKE_RATE_READ). Default: 3000")
    var rateRead: String?

    @Option(help: "Calls to outside engines per minute and account (KEEPSAKE_RATE_OUTSIDE). Default: 120")
    var rateOutside: String?

    @Flag(help: "A request without a credential acts as the user in its path; refused in production (KEEPSAKE_ALLOW_ANONYMOUS=on)")
    var allowAnonymous = false
}

struct MailOptions: ParsableArguments {
    static let title = "Mail for forgotten passwords"

    @Option(help: "A mail server: smtp://HOST[:587] with STARTTLS, smtps://HOST[:465], smtp://HOST[:25]?tls=off (KEEPSAKE_SMTP)")
    var smtp: String?

    @Option(help: "The user name at the mail server (KEEPSAKE_SMTP_USER)")
    var smtpUser: String?

    @Option(help: "The password at the mail server; set the variable, since other users can see flags (KEEPSAKE_SMTP_PASSWORD)")
    var smtpPassword: String?

    @Option(help: "Certificates in PEM to trust instead of the system's (KEEPSAKE_SMTP_CA)")
    var smtpCA: String?

    @Option(help: "The sender of mails: Keepsake <no-reply@example.org> (KEEPSAKE_MAIL_FROM)")
    var mailFrom: String?

    @Option(help: "on: a registration needs a code that was mailed to its address (KEEPSAKE_VERIFY_EMAIL). Default: off")
    var verifyEmail: String?

    @Option(help: "A page that takes the code of a password reset; {token} stands for the code (KEEPSAKE_RESET_URL)")
    var resetURL: String?
}

struct StorageOptions: ParsableArguments {
    static let title = "Storage, virus scanner and log"

    @Option(help: "Connections to PostgreSQL, 1…200 (KEEPSAKE_DATABASE_CONNECTIONS). Default: 16")
    var databaseConnections: String?

    @Option(help: "on: clients read pictures, sounds and films from the object store itself (KEEPSAKE_BLOBS_REDIRECT). Default: off")
    var blobsRedirect: String?

    @Option(help: "A clamd that scans every upload: unix:/path or tcp:host:port (KEEPSAKE_CLAMD)")
    var clamd: String?

    @Option(help: "required or off (KEEPSAKE_SCAN). Default: required if KEEPSAKE_CLAMD is set")
    var scan: String?

    @Option(help: "trace, debug, info, notice, warning, error or critical (KEEPSAKE_LOG). Default: info")
    var log: String?
}

struct EngineOptions: ParsableArguments {
    static let title = "Transcription, analysis and chats"

    @Option(help: "The transcriber of capsules: openai, pocketsphinx or off (KEEPSAKE_TRANSCRIBER). Default: off")
    var transcriber: String?

    @Option(help: "The URL before /v1/audio/transcriptions (KEEPSAKE_TRANSCRIBER_URL). Default: https://api.openai.com")
    var transcriberURL: String?

    @Option(help: "The transcriber's key; set the variable, since other users can see flags (KEEPSAKE_TRANSCRIBER_KEY)")
    var transcriberKey: String?

    @Option(help: "The transcriber's model (KEEPSAKE_TRANSCRIBER_MODEL). Default: whisper-1")
    var transcriberModel: String?

    @Option(help: "Timeout for one segment in seconds, 1…3600 (KEEPSAKE_TRANSCRIBER_TIMEOUT). Default: 120")
    var transcriberTimeout: String?

    @Option(help: "The engine that analyses captures: local, gemini or openai (KEEPSAKE_ANALYZER). Default: local")
    var analyzer: String?

    @Option(help: "The URL before /v1beta/models or /v1/chat/completions (KEEPSAKE_ANALYZER_URL). Default: the engine's own")
    var analyzerURL: String?

    @Option(help: "The analyzer's key; set the variable, since other users can see flags (KEEPSAKE_ANALYZER_KEY)")
    var analyzerKey: String?

    @Option(help: "The analyzer's model (KEEPSAKE_ANALYZER_MODEL). Default: gemini-2.0-flash or gpt-4o-mini")
    var analyzerModel: String?

    @Option(help: "Timeout for one analysis in seconds, 1…600 (KEEPSAKE_ANALYZER_TIMEOUT). Default: 60")
    var analyzerTimeout: String?

    @Option(
        help: """
            Who answers in chats: local, or one or several of gemini, openai and librechat, separated by commas; the first is the default \
            (KEEPSAKE_CHAT_MODEL). Default: local
            """)
    var chatModel: String?

    @Option(
        help: """
            The URL before /v1beta/models, /v1/chat/completions or /api/agents; one for each of --chat-model, separated by commas, and empty \
            for the provider's own (KEEPSAKE_CHAT_MODEL_URL)
            """)
    var chatModelURL: String?

    @Option(help: "A key for each chat model, with commas between; set the variable, since users can see flags (KEEPSAKE_CHAT_MODEL_KEY)")
    var chatModelKey: String?

    @Option(
        help: """
            The models that clients may choose, separated by spaces, the default first; for each of --chat-model, separated by commas \
            (KEEPSAKE_CHAT_MODEL_MODEL). Default: gemini-2.5-flash-lite or gpt-4o-mini
            """)
    var chatModelModel: String?
}
