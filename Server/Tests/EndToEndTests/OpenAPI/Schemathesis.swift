import Foundation
import TestKit

/// One run of schemathesis, the program that makes requests of a description and judges the answers by it.
struct Schemathesis {
    /// What was asked and found, as it says itself.
    let report: String
    let isClean: Bool
    /// Operations of the description that were tried.
    let operations: Int
    /// Requests that were made up.
    let cases: Int

    /// - Parameters:
    ///   - description: the address or the file of the document.
    ///   - credential: a header of every request.
    init(
        _ description: String, server: ServerProcess, user: String, credential: String? = nil, _ arguments: [String]
    ) throws {
        let programs = try ServerProcess.run([], binary: Repository.folder + "/scripts/python.sh")
        guard programs.status == 0 else { throw Tool.Failed(description: "python.sh: \(programs.errors)") }
        let url = "http://127.0.0.1:\(server.port)"
        let run = try ServerProcess.run(
            [
                "--config-file", "Server/Tests/OpenAPI/schemathesis.toml", "run", description, "--continue-on-failure",
                "--generation-database",
                // How long it takes to make requests up is the machine's affair.
                "none", "--suppress-health-check", "too_slow",
            ]
                + Self.seed
                + (credential.map { ["--header", $0] } ?? []) + arguments,
            binary: programs.output.trimmingCharacters(in: .whitespacesAndNewlines) + "/st",
            environment: [
                "KEEPSAKE_URL": url, "KEEPSAKE_USER": user, "PYTHONDONTWRITEBYTECODE": "1",
                "HYPOTHESIS_STORAGE_DIRECTORY": Repository.folder + "/.build-tools/hypothesis",
            ], in: Repository.folder)
        let words = run.output + run.errors
        // A request it shows may hold a whole film.
        report = words.split(separator: "\n", omittingEmptySubsequences: false).map { String($0.prefix(500)) }.joined(separator: "\n")
        isClean = run.status == 0
        operations = Self.number(after: "Tested: ", report)
        cases = Self.number(after: "Test cases:\n", report)
    }

    /// In every run of the tests the same requests are made up, so that what passed once passes again; the full campaign, and
    /// `KEEPSAKE_SEED`, ask others. A failure names its seed either way.
    private static var seed: [String] {
        let wanted = ProcessInfo.processInfo.environment["KEEPSAKE_SEED"] ?? (CampaignScale.isFull("openapi") ? nil : "2026")
        return wanted.map { ["--seed", $0] } ?? []
    }

    private static func number(after words: String, _ text: String) -> Int {
        guard let place = text.range(of: words) else { return 0 }
        return Int(text[place.upperBound...].drop { $0 == " " }.prefix(while: \.isNumber)) ?? 0
    }
}
