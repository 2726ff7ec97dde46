package import Foundation

/// The real files of every kind that the uploads' tests use.
package enum RealFile {
    package static let folder = URL(filePath: #filePath).deletingLastPathComponent()
        .appending(path: "../../Tests/FeatureTests/Media/Fixtures").standardized

    package static func bytes(_ name: String) throws -> [UInt8] { [UInt8](try Data(contentsOf: folder.appending(path: name))) }
}
