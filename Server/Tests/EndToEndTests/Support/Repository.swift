import Foundation

/// The path of the repository that the tests were built from.
enum Repository {
    static let folder = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "../../../..").standardizedFileURL.path
}
