import Foundation

/// A folder of one test's own, on the disk the tests run from, gone when the test is done.
package struct TemporaryFolder: ~Copyable {
    package let path: String

    package init() throws {
        path = FileManager.default.temporaryDirectory.appending(path: "keepsake-test-\(UUID().uuidString)").path
        try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
    }

    deinit { try? FileManager.default.removeItem(atPath: path) }
}
