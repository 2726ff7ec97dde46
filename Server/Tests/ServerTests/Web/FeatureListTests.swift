import AccountData
import ArgumentParser
import Blobs
import Core
import Database
import FeatureKit
import Jobs
import KeepsakeWire
import TestKit
import Testing
import Web

@testable import FeatureTestKit
@testable import keepsake

@Suite("The list of features")
struct FeatureListTests {
    @Test("every route of a feature has one of the feature's prefixes and uses that prefix's dialect")
    func surfaces() async throws {
        try await TestServer.run(.sqlite) { server in
            let backend = server.backend
            for feature in backend.features.all {
                let type = type(of: feature)
                let own = PathSurfaces(type.surfaces)
                let routes = backend.makeEmptyRoutes(on: WebServer(metrics: Metrics()))
                feature.addRoutes(to: routes)
                #expect(!routes.served.isEmpty, "\(type)")
                for route in routes.served {
                    #expect(type.surfaces.contains { route.path == $0.prefix || route.path.hasPrefix($0.prefix + "/") }, "\(route.path)")
                    #expect(own.surface(of: route.path) == route.surface, "\(route.path)")
                    #expect(Backend.surfaces.surface(of: route.path) == route.surface, "\(route.path)")
                }
            }
        }
    }

    @Test("names are registered only once: of migrations, personal tables, settings, and kinds of entries and jobs")
    func once() async throws {
        try await TestServer.run(.sqlite) { server in
            let features = server.backend.features.all
            let jobs = features.flatMap { [$0.jobs, $0.longJobs, $0.patientJobs, $0.mailJobs, $0.heavyJobs].flatMap { $0 } }.map(\.kind)
            for names in [
                Backend.migrations.map(\.name), Backend.personalTables.map(\.name), Features.types.flatMap { $0.settings }.map(\.key),
                features.flatMap(\.entryKinds).flatMap(\.names), jobs, Features.types.flatMap { $0.rowCounters }.map(\.kind),
                Features.types.flatMap { $0.blobReferences }.map(\.name),
            ] {
                #expect(!names.isEmpty)
                #expect(Set(names).count == names.count, "\(names.sorted())")
            }
        }
    }
}

@Suite("Settings of features")
struct FeatureSettingTests {
    private static let hours = FeatureSetting("idle_hours", default: 3, in: 0...24, help: "Hours.")
    private static let isOn = FeatureSetting("extra", default: false, help: "Something.")

    @Test("a given value is parsed by its type; without one, the default applies")
    func values() throws {
        var values = FeatureSettings()
        #expect(values[Self.hours] == 3 && !values[Self.isOn])
        try Self.hours.read("24", into: &values)
        try Self.isOn.read("on", into: &values)
        #expect(values[Self.hours] == 24 && values[Self.isOn])
    }

    @Test("a wrong value is refused with one line that names the setting", arguments: ["25", "-1", "", "x", "1.5"])
    func wrong(_ text: String) throws {
        let error = #expect(throws: WrongSetting.self) {
            var values = FeatureSettings()
            try Self.hours.read(text, into: &values)
        }
        #expect(error?.description == "KEEPSAKE_IDLE_HOURS must be a whole number from 0 to 24: \(text)")
    }

    @Test("a feature's flag is parsed in both spellings, the last value counts, and a flag without a value is refused")
    func flags() throws {
        for (arguments, value) in [
            (["--scrub-hours", "5"], "5"), (["--scrub-hours=6"], "6"), (["--scrub-hours", "5", "--scrub-hours", "=7"], "=7"), ([], nil),
        ] as [([String], String?)] {
            let options = try Options.parse(["--link-days", "3"] + arguments)
            #expect(options.features["scrub_hours"] == value && options.features["contact_numbers"] == nil)
            #expect(options.linkDays == "3")
        }
        for arguments in [["--scrub-hours"], ["--scrub-hour", "5"], ["--", "--scrub-hours", "5"]] {
            #expect(throws: (any Error).self) { try Options.parse(arguments) }
        }
    }

    @Test("the server's help and doctor's describe the flag of every feature's setting; other commands take it without describing it")
    func help() throws {
        for setting in Features.types.flatMap({ $0.settings }) {
            let flag = "--" + setting.key.replacing("_", with: "-")
            for help in [Serve.helpMessage(columns: 200), Doctor.helpMessage(columns: 200)] {
                #expect(help.contains(flag + " <value>") && help.contains("(KEEPSAKE_\(setting.key.uppercased()))"), "\(flag)")
            }
            #expect(!Token.helpMessage(columns: 200).contains(flag))
            let token = try Token.parse(["--email", "ada@example.org", flag, "1"])
            #expect(token.options.all.features[setting.key] == "1")
        }
    }

    @Test("serve's help begins with the common settings and groups the others; a tool's help shows the common ones alone")
    func groups() {
        let serve = Serve.helpMessage(columns: 200)
        let titles = serve.split(separator: "\n").filter { $0.first?.isUppercase == true && $0.hasSuffix(":") }.map(String.init)
        #expect(
            titles == [
                "COMMON SETTINGS:", "ACCOUNTS AND QUOTAS:", "CONNECTIONS AND LIMITS:", "MAIL FOR FORGOTTEN PASSWORDS:",
                "STORAGE, VIRUS SCANNER AND LOG:", "TRANSCRIPTION, ANALYSIS AND CHATS:", "IDENTITY ISSUERS:", "SETTINGS OF FEATURES:",
                "OPTIONS:",
            ])
        let first = serve.matches(of: /(?m)^  --([a-z-]+)/).prefix(5).map { String($0.output.1) }
        #expect(first == ["host", "port", "data", "config", "env"])
        for tool in [
            Token.helpMessage(columns: 200), Invite.helpMessage(columns: 200), JobsCommand.List.helpMessage(columns: 200),
            NodesCommand.helpMessage(columns: 200), Verify.helpMessage(columns: 200), BackupCommand.Make.helpMessage(columns: 200),
            RestoreCommand.helpMessage(columns: 200), Users.Suspend.helpMessage(columns: 200),
            ReportsCommand.List.helpMessage(columns: 200),
        ] {
            let settings = tool.matches(of: /\(KEEPSAKE_([A-Z_]+)/).map { String($0.output.1) }
            #expect(settings == ["DATA", "CONFIG", "ENV", "PUBLIC_URL", "DATABASE", "BLOBS"], "\(tool)")
        }
    }

    @Test("a flag overrides the environment")
    func order() async throws {
        let options = try Options.parse(["--scrub-hours", "7"])
        let given = try await Settings.read(options, environment: ["KEEPSAKE_SCRUB_HOURS": "5"])
        let unset = try Options.parse([])
        let fallback = try await Settings.read(unset, environment: ["KEEPSAKE_SCRUB_HOURS": "5"])
        #expect(given.features[AccountDataFeature.scrubHours] == 7)
        #expect(fallback.features[AccountDataFeature.scrubHours] == 5)
    }
}
