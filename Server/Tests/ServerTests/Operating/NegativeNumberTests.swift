import ArgumentParser
import Testing

@testable import keepsake

@Suite("Negative numbers as values of options")
struct NegativeNumberTests {
    @Test("a negative number after an option is its value; other arguments stay as they are")
    func joined() {
        #expect(NegativeNumber.joined(["serve", "--port", "-1", "--link-days", "-30d"]) == ["serve", "--port=-1", "--link-days=-30d"])
        for arguments in [
            ["serve", "--port", "1"], ["serve", "--port=1", "-1"], ["ask", "--", "--port", "-1"], ["upload", "-", "--port", "--welcome"],
            ["-1"], ["--port"], [],
        ] {
            #expect(NegativeNumber.joined(arguments) == arguments)
        }
    }

    @Test(
        "the error names the option and its range, and not a missing value",
        arguments: [("--port", "65535"), ("--quota-mb", "1000000000")])
    func ranges(_ option: String, _ largest: String) async throws {
        let flags = NegativeNumber.joined([option, "-1"])
        let error = await #expect(throws: Settings.Wrong.self) {
            if option == "--port" {
                _ = try await Settings.read(Options.parse([]), port: ListenOptions.parse(flags).port, environment: [:])
            } else {
                _ = try await Settings.read(Options.parse(flags), environment: [:])
            }
        }
        let line = error?.description ?? ""
        #expect(line.hasPrefix("\(option) must be a whole number from ") && line.hasSuffix(" to \(largest): -1"), "\(line)")
    }
}
