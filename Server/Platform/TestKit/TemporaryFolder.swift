import Foundation

/// A folder for one test, on the disk the tests run from. Deinitialization deletes it.
package struct TemporaryFolder: ~Copyable {
    package let path: String

    package init() throws {
        path = FileManager.default.temporaryDirectory.appending(path: "keepsake-test-\(UUID().uuidString)").path
        try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
    }

    deinit { try? FileManager.default.removeItem(atPath: path) }
}
