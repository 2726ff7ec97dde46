import Accounts
import Blobs
import Captures
import Configuration
import Core
import DatabaseEngines
import FeatureKit
import Foundation
import HTTPServer
import Intelligence
import Live
import Logging
import Mail
import Media
import MediaTools
import Outbound
import S3Blobs
import SystemPackage
import Web

/// All settings. They are read once and validated. An invalid value stops the program with one line that names the setting.
struct Settings: Sendable {
    enum Environment: String, CaseIterable { case development, production }
    enum Registration: String, CaseIterable { case open, invite, closed }
    enum Scan: String, CaseIterable { case required, off }

    var environment = Environment.development
    var host = "127.0.0.1"
    /// 0 picks a free port.
    var port = 8080
    /// The names that the operator used to set `host` and `port`, for errors: a flag, a variable, or a key and its file.
    var listeningNames = (host: "KEEPSAKE_HOST", port: "KEEPSAKE_PORT")
    var dataFolder = "data"
    /// The names that the operator used to set `dataFolder`, `database` and `blobs`, for errors. By default, the last two are in the data
    /// folder.
    var placeNames = (data: "KEEPSAKE_DATA", database: "KEEPSAKE_DATA", blobs: "KEEPSAKE_DATA")
    var database = DatabaseAddress.sqlite(path: "data/keepsake.sqlite")
    /// The most connections to PostgreSQL.
    var databaseConnections = DatabaseAddress.defaultConnections
    var blobs = BlobAddress.file(folder: "data")
    /// Whether clients read pictures, sounds and films from the object store itself.
    var blobsRedirect = false
    /// The URL at which clients reach the server; `nil` derives it from the address that the server listens on.
    var publicURL: String?
    /// Origins of other sites, such as `https://app.example.org`, whose pages may send requests with a signed-in user's cookie.
    var origins: Set<String> = []
    var registration = Registration.open
    /// The mail server; `nil` sends no mail.
    var smtp: SMTPSettings?
    /// Whether a registration needs a code that was mailed to its address.
    var confirmsEmail = false
    /// The URL of a page that takes the code of a password reset; `{token}` stands for the code.
    var resetLink: String?
    /// Apple, Firebase and other issuers of identity tokens.
    var identities = IdentitySettings()
    /// Whether a request without a credential acts as the user in its path.
    var allowsAnonymous = false
    /// The time zone in which days begin and end.
    var timeZone = TimeZone.gmt
    var quotaByteCount: Int64 = 10_240 * 1_048_576
    /// The size limits of files and requests of general uploads.
    var uploads = GeneralUploadLimits()
    var linkDays = 7
    /// How many days the server keeps the responses to creations, to repeat them for retries.
    var idempotencyDays = 30
    /// The values of the features' own settings.
    var features = FeatureSettings()
    /// The cost of password hashes. Not configurable; tests change it.
    var passwordCost = PasswordCost.recommended
    /// Whether the server measures its database's size. Not configurable; tests change it.
    var measuresDatabase = true
    /// The address of clamd, which scans every upload; `nil` scans none.
    var clamd: ClamdAddress?
    /// The name that the operator used to set `clamd`, for the log.
    var clamdName = "KEEPSAKE_CLAMD"
    /// The program that decodes users' files. Not configurable: it is in the same folder as this program.
    var mediaWorker = MediaWorkerOptions.besideThisProgram
    /// The engine that transcribes recordings; `nil` transcribes nothing.
    var transcriber: TranscriberSettings?
    var analyzer = AnalyzerSettings()
    var chat = ChatSettings()
    /// The certificate and its key; `nil` serves without TLS, unless there is a `tlsFault`.
    var tls: TLSIdentity?
    /// Why the configured certificate cannot be used: one line that names the setting and the file.
    var tlsFault: String?
    var trustedProxies = TrustedProxies.none
    /// The token for `/metrics`; if `nil`, only an administrator's token opens it.
    var metricsToken: MetricsToken?
    var channelLimits = ChannelLimits()
    /// Limits for converting films. Not configurable; tests change them. Unless a test sets `filmTime`, the setting
    /// `MediaFeature.filmMinutes` applies.
    var films = FilmConverter.Limits()
    var filmTime: Duration?
    var live = Hub.Settings()
    var sockets = OpenSockets.Settings()
    var uploadBudget = UploadBudget.Limits()
    var captures = CaptureInbox.Settings()
    /// The rate limits; `nil` disables them.
    var rateLimits: RateLimits? = RateLimits()
    var logLevel = Logger.Level.info
    /// Remembers where each value came from.
    var written = Source.Origins()

    /// The limits for converting a film.
    var filmLimits: FilmConverter.Limits {
        var limits = films
        limits.time = filmTime ?? .minutes(Int64(features[MediaFeature.filmMinutes]))
        return limits
    }

    /// The URL scheme for clients that connect without a proxy.
    var scheme: String { usesTLS ? "https" : "http" }

    /// Whether a certificate is configured, even if it cannot be used.
    var usesTLS: Bool { tls != nil || tlsFault != nil }

    struct Wrong: Error, CustomStringConvertible {
        let description: String
    }

    /// The rules about which addresses the server may send requests to.
    var outboundPolicy: OutboundPolicy { environment == .production ? .production : .development }

    /// Reads every setting. Flags take precedence over the environment, and the environment over the file.
    static func read(
        _ options: Options, host: String? = nil, port: String? = nil, environment: [String: String] = ProcessInfo.processInfo.environment
    ) async throws -> Settings {
        var source = try await Source(environment: environment, file: options.config)
        do {
            return try read(options, host: host, port: port, environment: environment, &source)
        } catch let error as Wrong {
            throw wrong(error.description, source, environment)
        } catch let error as WrongSetting {
            throw wrong(error.description, source, environment)
        }
    }

    /// Makes the error. If the message is about a setting that a misspelt variable should have set, it also names that variable.
    private static func wrong(_ message: String, _ source: Source, _ environment: [String: String]) -> Wrong {
        let hints = MisspeltVariable.all(in: environment).filter { message.contains($0.nearest) }.map { ". \($0)" }
        return Wrong(description: source.namingOrigins(in: message) + hints.joined())
    }

    /// Reads the settings of a command that works while the server runs.
    static func read(_ options: ToolOptions) async throws -> Settings { try await read(options.all) }

    private static func read(
        _ options: Options, host: String?, port: String?, environment: [String: String], _ source: inout Source
    ) throws -> Settings {
        var settings = Settings()
        settings.written = source.written
        settings.environment = try source.choice(options.env, "env") ?? .development
        source.policy = settings.outboundPolicy
        settings.host = source.text(host, "host") ?? settings.host
        settings.port = try source.number(port, "port", 0...65_535) ?? settings.port
        settings.listeningNames = (source.namingOrigins(in: "KEEPSAKE_HOST"), source.namingOrigins(in: "KEEPSAKE_PORT"))
        settings.dataFolder = source.text(options.data, "data") ?? settings.dataFolder
        guard !settings.dataFolder.isEmpty else { throw Wrong(description: "KEEPSAKE_DATA is empty; name a folder") }
        settings.database = try source.database(options.database) ?? .sqlite(path: settings.dataFolder + "/keepsake.sqlite")
        settings.placeNames.data = source.namingOrigins(in: "KEEPSAKE_DATA")
        settings.placeNames.database =
            source.text(options.database, "database") == nil ? settings.placeNames.data : source.namingOrigins(in: "KEEPSAKE_DATABASE")
        settings.placeNames.blobs =
            source.text(options.blobs, "blobs") == nil ? settings.placeNames.data : source.namingOrigins(in: "KEEPSAKE_BLOBS")
        settings.databaseConnections =
            try source.number(options.databaseConnections, "database_connections", 1...200) ?? settings.databaseConnections
        settings.blobs = try source.blobs(options.blobs, environment) ?? .file(folder: settings.dataFolder)
        settings.blobsRedirect = try source.blobsRedirect(options.blobsRedirect, settings)
        settings.publicURL = try source.text(options.publicURL, "public_url").map(Self.publicURL)
        settings.origins = try source.origins(options.origins)
        settings.registration =
            try source.choice(options.registration, "registration") ?? (settings.environment == .production ? .invite : .open)
        settings.smtp = try source.smtp(options, settings.environment)
        settings.confirmsEmail = try source.confirmsEmail(options.verifyEmail, settings)
        settings.resetLink = try source.resetLink(options.resetURL)
        settings.identities = try source.identities(options.identities)
        settings.quotaByteCount =
            try source.number(options.quotaMB, "quota_mb", 1...1_000_000_000).map { Int64($0) * 1_048_576 } ?? settings.quotaByteCount
        settings.uploads = try source.uploads(options)
        settings.linkDays = try source.number(options.linkDays, "link_days", 1...365) ?? settings.linkDays
        settings.idempotencyDays = try source.number(options.idempotencyDays, "idempotency_days", 1...90) ?? settings.idempotencyDays
        for setting in Features.types.flatMap({ $0.settings }) {
            guard let text = source.text(options.features[setting.key], setting.key) else { continue }
            try setting.read(text, into: &settings.features)
        }
        settings.clamd = try source.clamd(options)
        settings.clamdName = source.namingOrigins(in: settings.clamdName)
        settings.transcriber = try source.transcriber(options)
        settings.analyzer = try source.analyzer(options)
        settings.chat = try source.chat(options)
        settings.rateLimits = try source.rateLimits(options)
        do {
            settings.tls = try source.tls(options)
        } catch let error as TLSIdentity.Unusable {
            // Keep the error instead of throwing it, because a command such as `backup` does not need the certificate.
            settings.tlsFault = source.namingOrigins(in: error.description)
        }
        settings.trustedProxies = try source.trustedProxies(options) ?? .none
        settings.metricsToken = try source.metricsToken(options)
        settings.channelLimits.connectionsPerAddress =
            try source.number(options.connectionsPerAddress, "connections_per_address", 1...1_000_000)
            ?? settings.channelLimits.connectionsPerAddress
        settings.channelLimits.connectionMemoryByteCount =
            try source.number(options.connectionMemoryMB, "connection_memory_mb", 10...100_000).map { $0 * 1_048_576 }
            ?? settings.channelLimits.connectionMemoryByteCount
        settings.logLevel = try source.choice(options.log, "log") ?? .info
        settings.allowsAnonymous = try source.choice(options.allowAnonymous ? "on" : nil, "allow_anonymous") == Source.OnOff.on
        settings.timeZone = try source.timeZone(options.timeZone) ?? settings.timeZone
        try settings.requireSafe()
        return settings
    }

    /// Refuses settings that are safe only while nobody else can reach the server.
    private func requireSafe() throws {
        if environment == .production {
            if allowsAnonymous {
                throw Wrong(description: "KEEPSAKE_ALLOW_ANONYMOUS is refused in production: any client could act as any user")
            }
            if rateLimits == nil {
                throw Wrong(
                    description: "KEEPSAKE_RATE_LIMITS=off is refused in production: clients could guess passwords without limit")
            }
            if trustedProxies.hasEveryIPv4Address {
                throw Wrong(
                    description:
                        "KEEPSAKE_TRUSTED_PROXIES with 0.0.0.0/0 or ::/0 is refused in production: any client could claim any address")
            }
            if self.publicURL == nil {
                throw Wrong(description: "KEEPSAKE_PUBLIC_URL must be set in production: links to files contain it")
            }
        }
        if let url = self.publicURL, !outboundPolicy.allows(url) {
            throw Wrong(description: "KEEPSAKE_PUBLIC_URL must be https in production, or http on this machine: \(url)")
        }
    }

    private static func publicURL(_ text: String) throws -> String {
        // Trim the text: in a file of settings, quotation marks keep white space, and a variable may end with a line break.
        let text = text.trimmingCharacters(in: .whitespacesAndNewlines)
        guard let url = URL(string: text), let scheme = url.scheme, ["http", "https"].contains(scheme), url.host != nil, url.query == nil,
            url.fragment == nil, url.user == nil
        else { throw Wrong(description: "KEEPSAKE_PUBLIC_URL is not an http or https URL: \(text)") }
        guard ["", "/"].contains(url.path()) else {
            throw Wrong(
                description:
                    "KEEPSAKE_PUBLIC_URL must have no path, because the server answers only at the root of a host; give it its own name: \(text)"
            )
        }
        return text.hasSuffix("/") ? String(text.dropLast()) : text
    }

    /// The sources of a setting's value. Values are always read as text, because the library's typed getters return nil for an invalid
    /// value.
    struct Source {
        let environmentReader: ConfigReader
        let fileReader: ConfigReader?
        /// Remembers where each setting's value came from.
        let written = Origins()
        /// The rules about which URLs of other services are accepted.
        var policy = OutboundPolicy.production

        init(environment: [String: String], file: String?) async throws {
            environmentReader = ConfigReader(provider: EnvironmentVariablesProvider(environmentVariables: environment))
            let named = file ?? environment["KEEPSAKE_CONFIG"]
            let path = named ?? Self.usualFile
            guard named != nil || SettingsFile.exists(path),
                let lines = try SettingsFile.check(path, namedBy: named == nil ? nil : file == nil ? "KEEPSAKE_CONFIG" : "--config")
            else {
                fileReader = nil
                return
            }
            written.setFile(path, lines: lines)
            do {
                fileReader = ConfigReader(provider: try await FileProvider<YAMLSnapshot>(filePath: FilePath(path)))
            } catch {
                throw Wrong(description: "\(path) cannot be read as YAML")
            }
        }

        /// The file that is used if none is named. The installed package always uses the service's file: its commands obey no file in the
        /// folder in which they are called.
        private static var usualFile: String {
            ProgramPath.folder == "/usr/lib/keepsake" ? "/etc/keepsake/keepsake.yaml" : "keepsake.yaml"
        }

        func text(_ flag: String?, _ key: String) -> String? {
            if let flag {
                written.note(key, .flag)
                return flag
            }
            if let text = environmentReader.string(forKey: ConfigKey(["keepsake", key])) {
                written.note(key, .variable)
                return text
            }
            guard let text = fileReader?.string(forKey: ConfigKey([key])) else { return nil }
            written.note(key, .file)
            return text
        }

        /// Replaces the names of variables in an error by the names that the operator used.
        func namingOrigins(in message: String) -> String { written.naming(in: message) }

        func number(_ flag: String?, _ key: String, _ range: ClosedRange<Int>) throws -> Int? {
            guard let text = text(flag, key) else { return nil }
            guard let value = Int(text), range.contains(value) else {
                throw Wrong(description: "\(name(key)) must be a whole number from \(range.lowerBound) to \(range.upperBound): \(text)")
            }
            return value
        }

        func choice<Choice: RawRepresentable<String> & CaseIterable>(_ flag: String?, _ key: String) throws -> Choice? {
            guard let text = text(flag, key) else { return nil }
            guard let value = Choice(rawValue: text) else {
                let known = Choice.allCases.map(\.rawValue).joined(separator: ", ")
                throw Wrong(description: "\(name(key)) must be one of \(known): \(text)")
            }
            return value
        }

        func clamd(_ options: Options) throws -> ClamdAddress? {
            let address = try text(options.clamd, "clamd").map { text in
                guard let address = ClamdAddress(text) else {
                    throw Wrong(description: "\(name("clamd")) must look like unix:/path or tcp:host:port: \(text)")
                }
                return address
            }
            let scan: Scan = try choice(options.scan, "scan") ?? (address == nil ? .off : .required)
            if scan == .required, address == nil { throw Wrong(description: "KEEPSAKE_SCAN=required needs KEEPSAKE_CLAMD") }
            return scan == .required ? address : nil
        }

        /// Accepts only names of the IANA database: an abbreviation such as EST means different times in different countries.
        func timeZone(_ flag: String?) throws -> TimeZone? {
            guard let text = text(flag, "time_zone") else { return nil }
            guard let zone = ZoneName.zone(named: text) else {
                throw Wrong(description: "\(name("time_zone")) must be a name like Europe/Berlin, or UTC: \(text)")
            }
            return zone
        }

        enum OnOff: String, CaseIterable { case on, off }

        func name(_ key: String) -> String { "KEEPSAKE_" + key.uppercased() }
    }
}
