import ArgumentParser
import Foundation
import Testing

@testable import keepsake

@Suite("Settings")
struct SettingsTests {
    private func read(_ flags: [String] = [], _ environment: [String: String] = [:]) async throws -> Settings {
        try await Settings.read(Options.parse(flags), environment: environment)
    }

    @Test("nobody comes in without a credential unless it is said, by flag or by variable")
    func anonymous() async throws {
        #expect(try await read().allowsAnonymous == false)
        #expect(try await read(["--allow-anonymous"]).allowsAnonymous)
        #expect(try await read([], ["KEEPSAKE_ALLOW_ANONYMOUS": "on"]).allowsAnonymous)
        #expect(try await read([], ["KEEPSAKE_ALLOW_ANONYMOUS": "off"]).allowsAnonymous == false)
        #expect(try await read(["--allow-anonymous"], ["KEEPSAKE_ALLOW_ANONYMOUS": "off"]).allowsAnonymous)
        for wrong in ["true", "1", "ON", ""] {
            await #expect(throws: Settings.Wrong.self, "\(wrong)") { try await read([], ["KEEPSAKE_ALLOW_ANONYMOUS": wrong]) }
        }
    }

    @Test("a day is UTC's unless a place is named")
    func timeZone() async throws {
        #expect(try await read().timeZone.secondsFromGMT() == 0)
        #expect(try await read(["--time-zone", "UTC"]).timeZone.secondsFromGMT() == 0)
        let summer = Date(timeIntervalSince1970: 1_780_315_200)
        for (name, hours) in [("Europe/Berlin", 2.0), ("America/New_York", -4), ("Asia/Kolkata", 5.5), ("Etc/UTC", 0)] {
            let zone = try await read([], ["KEEPSAKE_TIME_ZONE": name]).timeZone
            #expect(zone.identifier == name && Double(zone.secondsFromGMT(for: summer)) == hours * 3_600)
        }
        for wrong in ["Europe/Nowhere", "EST", "GMT+2", "+02:00", "europe/berlin", "Europe", "", "../etc/passwd", "Europe/Berlin "] {
            await #expect(throws: Settings.Wrong.self, "\(wrong)") { try await read(["--time-zone", wrong]) }
        }
    }
}
