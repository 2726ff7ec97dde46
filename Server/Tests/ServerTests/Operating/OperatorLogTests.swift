import ArgumentParser
import Core
import Database
import Foundation
import HTTPServer
import Live
import Logging
import Mail
import MediaTools
import S3Blobs
import Synchronization
import TestKit
import Testing

@testable import FeatureTestKit
@testable import keepsake

/// What the log says to the operator. `FullDataDiskTests` has the tests of full disks.
@Suite("The log for operators")
struct OperatorLogTests {
    @Test(
        "an unreachable clamd is a warning at the start, which says what uploads get and names the setting; the server starts all the same")
    func scannerIsAway() async throws {
        let lines = OperatorLines()
        let change: @Sendable (inout Settings) -> Void = { settings in
            settings.clamd = ClamdAddress("tcp:127.0.0.1:1")
            settings.clamdName = "clamd in /etc/keepsake/keepsake.yaml"
        }
        try await TestServer.run(.sqlite, logger: lines.logger, change) { server in
            try await eventually { lines.all.contains { $0.message.contains("clamd does not answer") } }
            let line = try #require(lines.all.first { $0.message.contains("clamd does not answer") })
            #expect(line.level == .warning && line.message == "clamd does not answer; uploads get 503 until it does")
            #expect(line.metadata["setting"] == "clamd in /etc/keepsake/keepsake.yaml")
            #expect(line.metadata["address"] == "tcp:127.0.0.1:1" && line.metadata["error"]?.isEmpty == false)
            #expect(try await server.send("GET", "/health/live").status == 200)
        }
    }

    @Test("a clamd that answers after some attempts causes one warning and one notice; one that answers at once causes no line")
    func scannerReturns() async throws {
        for failures in [0, 3] {
            let lines = OperatorLines()
            let attempts = Mutex(0)
            let notice = OutageNotice(
                away: "clamd does not answer", back: "clamd answers now", address: "unix:/a", setting: "--clamd", pause: .milliseconds(1),
                logger: lines.logger
            ) {
                let number = attempts.withLock { attempts in
                    attempts += 1
                    return attempts
                }
                if number <= failures { throw Problem(.unavailable, "away") }
            }
            let running = Task { try await notice.run() }
            try await eventually { attempts.withLock { $0 } > failures && lines.all.count >= (failures == 0 ? 0 : 2) }
            running.cancel()
            _ = await running.result
            #expect(lines.all.map(\.level) == (failures == 0 ? [] : [.warning, .notice]), "\(lines.all)")
            #expect(attempts.withLock { $0 } == failures + 1)
        }
    }

    @Test("the warning about clamd names the flag, the variable or the key that set its address")
    func scannerSetting() async throws {
        let folder = try TemporaryFolder()
        let file = folder.path + "/settings.yaml"
        try "clamd: unix:/a\n".write(toFile: file, atomically: true, encoding: .utf8)
        for (flags, environment, name) in [
            (["--clamd", "unix:/a"], [:], "--clamd"), ([], ["KEEPSAKE_CLAMD": "unix:/a"], "KEEPSAKE_CLAMD"),
            (["--config", file], [:], "clamd in \(file):1"),
        ] as [([String], [String: String], String)] {
            #expect(try await Settings.read(Serve.parse(flags).options, environment: environment).clamdName == name)
        }
    }

    @Test("a bucket that does not exist, or refuses the keys, is a warning at the start, which names the setting")
    func bucket() async throws {
        let folder = try TemporaryFolder()
        let right = try CephService.everybodys()
        var missing = right
        missing.bucket = "keepsake-nowhere"
        let silent = Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }
        let store = try await S3BlobStore.open(right, CephService.credentials, scratchFolder: folder.path, logger: silent)
        await #expect(throws: Never.self) { try await store.requireBucket() }
        await store.close()
        for (address, credentials, fault) in [
            (missing, CephService.credentials, "there is no bucket keepsake-nowhere at http://127.0.0.1:"),
            (right, CephService.stranger, "the access key lacks the permission s3:ListBucket on the bucket keepsake-tests: "),
        ] {
            let lines = OperatorLines()
            let settings = Settings()
            settings.written.setFile("/etc/keepsake/keepsake.yaml", lines: ["blobs": 4])
            settings.written.note("blobs", .file)
            let store = try await S3BlobStore.open(address, credentials, scratchFolder: folder.path, logger: silent)
            let notice = OutageNotice(store, settings, logger: lines.logger)
            let running = Task { try await notice.run() }
            try await eventually { !lines.all.isEmpty }
            running.cancel()
            _ = await running.result
            await store.close()
            let line = try #require(lines.all.first)
            #expect(lines.all.count == 1 && line.level == .warning, "\(lines.all)")
            #expect(line.message == "the object store cannot be used; uploads and downloads fail until it can")
            #expect(line.metadata["setting"] == "blobs in /etc/keepsake/keepsake.yaml:4")
            let error = line.metadata["error"] ?? ""
            #expect(error.hasPrefix(fault) && !error.contains("KEEPSAKE_BLOBS"), "\(error)")
        }
        withExtendedLifetime(folder) {}
    }

    @Test("a mail server that is away at the start is one warning, which names the setting; one that answers, or none, causes no line")
    func mailServerIsAway() async throws {
        let lines = OperatorLines()
        var settings = Settings()
        let isSilent = MailNotice(settings, logger: lines.logger) == nil
        #expect(isSilent)
        settings.smtp = SMTPSettings(
            address: try #require(SMTPAddress("smtp://127.0.0.1:1?tls=off")),
            from: try #require(MailSender("Keepsake <no-reply@example.org>")))
        settings.written.setFile("/etc/keepsake/keepsake.yaml", lines: ["smtp": 7])
        settings.written.note("smtp", .file)
        let notice = try #require(MailNotice(settings, logger: lines.logger))
        let running = Task { try await notice.run() }
        try await eventually { !lines.all.isEmpty }
        running.cancel()
        _ = await running.result
        let line = try #require(lines.all.first)
        #expect(lines.all.count == 1 && line.level == .warning && line.message.hasPrefix("the mail server cannot be used now; "))
        #expect(line.metadata["setting"] == "smtp in /etc/keepsake/keepsake.yaml:7" && line.metadata["address"] == "127.0.0.1:1")
        #expect(line.metadata["error"]?.contains("Connection refused") == true, "\(line)")

        let answers = Mutex(0)
        let quiet = Task { try await MailNotice("a:25", setting: "--smtp", logger: lines.logger) { answers.withLock { $0 += 1 } }.run() }
        try await eventually { answers.withLock { $0 } == 1 }
        quiet.cancel()
        _ = await quiet.result
        #expect(lines.all.count == 1, "\(lines.all)")
    }

    @Test("a server that stops while it deletes old events logs no error; a database that is away is one")
    func stopsWhileItDeletes() async throws {
        let stores = try TestStores(Engine.sqlite)
        let database = try await stores.open()
        for (error, count) in [(CancellationError(), 0), (DatabaseError.closed, 1)] as [(any Error, Int)] {
            let lines = OperatorLines()
            let pruner = EventPruner(database: FailingReads(base: database, error: error), clock: .system, logger: lines.logger) { _ in
                throw CancellationError()
            }
            try await pruner.run()
            #expect(lines.all.map(\.level) == Array(repeating: Logger.Level.error, count: count), "\(lines.all)")
        }
        try await database.close()
        withExtendedLifetime(stores) {}
    }

    private struct FailingReads: DatabaseDecorator {
        let base: any Database
        let error: any Error

        func read<T: Sendable>(_ body: @escaping @Sendable (ReadTransaction) throws -> T) async throws -> T { throw error }
    }

    @Test("the first start on an empty database logs one line that names the folder; the next start logs none", arguments: Engine.allCases)
    func newInstallation(_ engine: Engine) async throws {
        let stores = try TestStores(engine)
        for isFirst in [true, false] {
            let lines = OperatorLines()
            try await TestServer.run(engine, on: stores, logger: lines.logger) { server in
                let created = lines.all.filter { $0.message == "a new installation was created" }
                #expect(created.map(\.level) == (isFirst ? [.notice] : []), "\(created)")
                if let line = created.first {
                    #expect(line.metadata["data"] == URL(filePath: server.folder).standardizedFileURL.path)
                    #expect(line.metadata["database"] == (engine == .sqlite ? "SQLite" : "PostgreSQL"))
                }
            }
        }
    }

    /// `CommandTests` sends the signal to a real server.
    @Test("after SIGHUP, a server without TLS logs that there is no certificate to reload")
    func hangUp() {
        let lines = OperatorLines()
        CertificateReload(settings: Settings(), clock: .system, logger: lines.logger).reload()
        #expect(lines.all.count == 1 && lines.all[0].level == .notice, "\(lines.all)")
        #expect(lines.all[0].message.contains("there is no certificate to reload") && lines.all[0].message.contains("KEEPSAKE_TLS_CERT"))
    }

    @Test(
        "the warning about a proxy that is not trusted has its address and names the setting; a trusted one causes none",
        arguments: [true, false])
    func proxy(_ isTrusted: Bool) async throws {
        let lines = OperatorLines()
        let change: @Sendable (inout Settings) -> Void = { if isTrusted { $0.trustedProxies = TrustedProxies("127.0.0.1")! } }
        try await TestServer.run(.sqlite, logger: lines.logger, change) { server in
            for number in 1...4 {
                let headers = [("X-Forwarded-For", "203.0.113.\(number)")]
                let status = try await server.send("GET", "/health/live", headers: headers).status
                #expect(status == 200)
            }
        }
        let warnings = lines.all.filter { $0.message.hasPrefix("A proxy that is not trusted") }
        #expect(warnings.count == (isTrusted ? 0 : 1), "\(lines.all)")
        for warning in warnings {
            #expect(warning.metadata["proxy"] == "127.0.0.1" && warning.message.contains("KEEPSAKE_TRUSTED_PROXIES"), "\(warning)")
        }
    }
}

/// Records every line of a log.
final class OperatorLines: Sendable {
    struct Line: Sendable {
        let level: Logger.Level
        let message: String
        let metadata: [String: String]
    }

    private let lines = Mutex<[Line]>([])

    var all: [Line] { lines.withLock { $0 } }
    var logger: Logger { Logger(label: "test") { _ in Handler(lines: self) } }

    private struct Handler: LogHandler {
        let lines: OperatorLines
        var metadata: Logger.Metadata = [:]
        var logLevel = Logger.Level.info

        subscript(metadataKey key: String) -> Logger.Metadata.Value? {
            get { metadata[key] }
            set { metadata[key] = newValue }
        }

        func log(event: LogEvent) {
            let line = Line(level: event.level, message: "\(event.message)", metadata: (event.metadata ?? [:]).mapValues { "\($0)" })
            lines.lines.withLock { $0.append(line) }
        }
    }
}
