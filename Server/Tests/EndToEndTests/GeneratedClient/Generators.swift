import Foundation
import TestKit

/// Programs that make clients from an OpenAPI description.
enum Generators {
    /// - Parameter name: `client` for openapi-python-client, `generators` for openapi-generator.
    /// - Returns: the folder of the programs.
    static func install(_ name: String) throws -> String {
        let run = try ServerProcess.run([name], binary: Repository.folder + "/scripts/python.sh")
        guard run.status == 0 else { throw Tool.Failed(description: "python.sh \(name): \(run.errors)") }
        return run.output.trimmingCharacters(in: .whitespacesAndNewlines)
    }
}
