import Foundation
import TestKit

/// A run of schemathesis, a program that generates requests from an OpenAPI description and validates the responses.
struct Schemathesis {
    /// The output of schemathesis, with each line cut to 500 characters.
    let report: String
    let isClean: Bool
    /// The number of tested operations.
    let operations: Int
    /// The number of generated requests.
    let cases: Int

    /// - Parameters:
    ///   - description: the URL or the file of the document.
    ///   - credential: a header that each request carries.
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
                // Slow generation on a busy machine is not a failure.
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
        // A printed request may contain a whole video.
        report = words.split(separator: "\n", omittingEmptySubsequences: false).map { String($0.prefix(500)) }.joined(separator: "\n")
        isClean = run.status == 0
        operations = Self.number(after: "Tested: ", report)
        cases = Self.number(after: "Test cases:\n", report)
    }

    /// A fixed seed makes every test run generate the same requests, so that a passing test stays green. The full campaign has another seed
    /// each time, unless `KEEPSAKE_SEED` sets it. A failure prints its seed either way.
    private static var seed: [String] {
        let wanted = ProcessInfo.processInfo.environment["KEEPSAKE_SEED"] ?? (CampaignScale.isFull("openapi") ? nil : "2026")
        return wanted.map { ["--seed", $0] } ?? []
    }

    private static func number(after words: String, _ text: String) -> Int {
        guard let place = text.range(of: words) else { return 0 }
        return Int(text[place.upperBound...].drop { $0 == " " }.prefix(while: \.isNumber)) ?? 0
    }
}
